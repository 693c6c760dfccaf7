#include "report/hw_text.h"

#include "base/unit_text.h"
#include "report/table.h"

namespace moesim {
namespace {

std::string percent(double share) { return significant(share * 100, 3) + " %"; }

/// What arithmetic peaks at, and what long runs reach.
std::string rates(const HwProfile& p) {
  Table t({Table::Align::left, Table::Align::right, Table::Align::right, Table::Align::right});
  t.row({"large GEMM", "peak", "burst", "sustained"});
  for (const auto& [type, peak] : p.gpu.peak) {
    const auto burst = p.compute.gemm.burst.find(type), sustained = p.compute.gemm.sustained.find(type);
    t.row({std::string(name(type)), to_text(peak.value), burst == p.compute.gemm.burst.end() ? "-" : percent(burst->second.value),
           sustained == p.compute.gemm.sustained.end() ? "-" : percent(sustained->second.value)});
  }
  return t.text();
}

}  // namespace

std::string hw_text(const HwProfile& p, std::size_t width) {
  std::string out = p.name + ": " + wrap(p.description, width - p.name.size() - 2, 2) + "\n\n" + rates(p) + "\n";
  Table t({Table::Align::left, Table::Align::right, Table::Align::left, Table::Align::left});
  std::size_t left[3] = {0, 0, 0};
  for (const ProfileNumber& n : p.numbers) {
    left[0] = std::max(left[0], n.path.size());
    left[1] = std::max(left[1], n.value.size());
    left[2] = std::max(left[2], name(n.grade).size());
  }
  const std::size_t used = left[0] + left[1] + left[2] + 6;
  for (const ProfileNumber& n : p.numbers) {
    if (used + 24 <= width) {
      // Sources wrap inside their own column.
      t.row({n.path, n.value, std::string(name(n.grade)), wrap(n.source, width - used, used)});
    } else {
      t.row({n.path, n.value, std::string(name(n.grade)), ""});
    }
  }
  return out + t.text(0);
}

}  // namespace moesim
