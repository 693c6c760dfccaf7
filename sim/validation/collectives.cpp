#include "validation/collectives.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.h"
#include "base/unit_text.h"
#include "collective/measured.h"
#include "hw/topology.h"

namespace moesim {
namespace {

struct Named {
  std::string_view name;
  CollectiveOp op;
};
constexpr std::array kTests{Named{"all_reduce", CollectiveOp::all_reduce}, Named{"all_gather", CollectiveOp::all_gather},
                            Named{"reduce_scatter", CollectiveOp::reduce_scatter}, Named{"all_to_all", CollectiveOp::all_to_all},
                            Named{"broadcast", CollectiveOp::broadcast}, Named{"reduce", CollectiveOp::reduce},
                            Named{"sendrecv", CollectiveOp::send_recv}};

std::string canonical(const std::string& name) {
  if (name == "alltoall") return "all_to_all";
  return name == "send_recv" ? "sendrecv" : name;
}

std::vector<Rank> members(const CollectiveTest& test, std::int64_t gpus, const HwProfile& hw) {
  std::vector<Rank> out;
  if (test.op == CollectiveOp::send_recv) {
    const std::int64_t first = gpus > hw.scale_up.domain ? hw.scale_up.domain - 1 : 0;   // a neighbour in the next domain, if there is one
    for (const std::int64_t r : {first, first + 1}) out.emplace_back(static_cast<std::uint32_t>(r));
  } else {
    for (std::int64_t r = 0; r < gpus; ++r) out.emplace_back(static_cast<std::uint32_t>(r));
  }
  return out;
}

}  // namespace

std::vector<std::string> collective_test_names() {
  std::vector<std::string> out;
  for (const Named& t : kTests) out.emplace_back(t.name);
  return out;
}

CollectiveTest collective_test(const std::string& name) {
  const std::string wanted = canonical(name);
  for (const Named& t : kTests)
    if (t.name == wanted) return {t.name, t.op};
  std::string list;
  const std::vector<std::string> names = collective_test_names();
  for (const std::string& n : names) list += (list.empty() ? "" : ", ") + n;
  throw InputError("found \"" + shortened(name) + "\", allowed is a collective: " + list + did_you_mean(name, names));
}

CollectiveTest fused_test(const CollectiveTest& test, const std::string& kernel, const HwProfile& hw) {
  if (test.op != CollectiveOp::all_reduce) throw InputError("--kernel: found with " + std::string(test.name) + ", allowed is all_reduce");
  const std::vector<std::string> known = fused_all_reduce_kernels(hw);
  std::string list;
  for (const std::string& k : known) list += (list.empty() ? "" : ", ") + k;
  if (known.empty()) throw InputError("--kernel: no all-reduce kernel of an engine was timed on " + hw.name);
  if (std::find(known.begin(), known.end(), kernel) == known.end()) throw InputError("--kernel: found \"" + shortened(kernel) + "\", allowed on " + hw.name + " is one of " + list);
  CollectiveTest out = test;
  out.kernel = kernel;
  return out;
}

namespace {

CollectiveCost cost_of(const CollectiveTest& test, std::int64_t bytes, std::int64_t gpus, const HwProfile& hw) {
  const Placement p = place(members(test, gpus, hw), hw);
  if (test.kernel.empty()) return collective(test.op, Bytes{bytes}, p, hw);
  std::optional<CollectiveCost> fused = fused_all_reduce(test.kernel, Bytes{bytes}, p, hw);
  if (!fused) throw InputError("--gpus: found " + std::to_string(gpus) + ", allowed is 2 to 8 inside one node with --kernel");
  return std::move(*fused);
}

}  // namespace

std::int64_t least_bytes(CollectiveOp op, std::int64_t gpus) {
  const bool shares = op == CollectiveOp::all_gather || op == CollectiveOp::reduce_scatter || op == CollectiveOp::all_to_all;
  return 4 * (shares ? gpus : 1);
}

std::int64_t element_count(CollectiveOp op, std::int64_t bytes, std::int64_t gpus) { return bytes / least_bytes(op, gpus); }

CollectiveRow predict_collective(const CollectiveTest& test, std::int64_t bytes, std::int64_t gpus, const HwProfile& hw) {
  const CollectiveCost cost = cost_of(test, bytes, gpus, hw);
  const Time time = cost.transfer.latency + cost.transfer.span;
  CollectiveRow out{gpus, bytes, cost.algorithm, cost.protocol, cost.provenance, seconds(time) * 1e6, 0, 0, std::nullopt};
  out.algbw = static_cast<double>(bytes) / seconds(time) / 1e9;
  out.busbw = out.algbw * bus_factor(test.op, gpus);
  return out;
}

std::string placement_note(std::int64_t gpus, const HwProfile& hw) {
  const std::int64_t domain = hw.scale_up.domain;
  if (gpus <= domain || gpus % domain == 0) return "";
  std::string out = std::to_string(gpus) + " GPUs fill " + counted(gpus / domain, "scale-up domain") + " of " + std::to_string(domain) + " and " + counted(gpus % domain, "GPU") +
                    " of another, which all wait for";
  if (const std::optional<std::int64_t> even = even_domain(gpus, hw)) out += "; with --domain " + std::to_string(*even) + " every one has " + std::to_string(*even);
  return out;
}

namespace {

bool reduces(CollectiveOp op) { return op == CollectiveOp::all_reduce || op == CollectiveOp::reduce || op == CollectiveOp::reduce_scatter; }

void refuse_another_test(const CollectiveTest& test, const NcclTestsLog& log, const std::string& file, std::int64_t gpus) {
  constexpr double kLeastRate = 10, kRounding = 0.02;   // GB/s that are printed with three digits
  for (const NcclTestsRow& r : log.rows) {
    if (!r.redop.empty() && reduces(test.op) != (r.redop != "none"))
      throw InputError(file + ": found redop " + shortened(r.redop) + ", asked for " + std::string(test.name) + ", which " + (reduces(test.op) ? "reduces" : "reduces nothing"));
    if (r.algbw < kLeastRate) continue;
    const double found = r.busbw / r.algbw, wanted = bus_factor(test.op, gpus);
    if (std::abs(found / wanted - 1) > kRounding)
      throw InputError(file + ": found busbw / algbw of " + significant(found, 3) + ", that of " + std::string(test.name) + " on " + std::to_string(gpus) + " GPUs is " + significant(wanted, 3));
  }
}

}  // namespace

CollectiveReport compare_collectives(const CollectiveTest& test, const NcclTestsLog& log, const std::string& file, std::optional<std::int64_t> gpus,
                                     const HwProfile& hw) {
  std::string measured = log.test.ends_with("_perf") ? log.test.substr(0, log.test.size() - 5) : log.test;
  measured = canonical(measured);
  if (!measured.empty() && measured != test.name) throw InputError(file + ": found a log of " + shortened(log.test) + ", asked for " + std::string(test.name));
  if (gpus && log.gpus > 0 && *gpus != log.gpus)
    throw InputError(file + ": found a log of " + std::to_string(log.gpus) + " GPUs, asked for " + std::to_string(*gpus) + " by --gpus");
  const std::int64_t n = gpus.value_or(log.gpus);
  if (n < 2) throw InputError(file + ": found " + std::string(n == 0 ? "no list of ranks" : "one rank") + ", allowed is --gpus N of 2 and more beside it");
  refuse_another_test(test, log, file, n);
  CollectiveReport out{hw.name, std::string(test.name), {}, log.average_busbw, {}};
  if (const std::string note = placement_note(n, hw); !note.empty()) out.notes.push_back(note);
  for (const NcclTestsRow& r : log.rows) {
    out.rows.push_back(predict_collective(test, r.bytes, n, hw));
    out.rows.back().measured = r;
  }
  return out;
}

ErrorStats comparison_errors(const CollectiveReport& r) {
  std::vector<double> errors;
  for (const CollectiveRow& row : r.rows)
    if (row.measured) errors.push_back(row.error());
  return error_stats(errors);
}

}  // namespace moesim
