#include "train/step/buckets.h"

#include <algorithm>
#include <limits>

namespace moesim {
namespace {

void add_buckets(const std::vector<Unit>& units, bool routed, std::int64_t least, std::vector<Bucket>& out) {
  Bucket open{0, 0, 0, routed};
  bool any = false;
  for (std::size_t i = units.size(); i-- > 0;) {   // gradients appear from the last unit to the first
    const std::int64_t params = routed ? units[i].routed : units[i].dense;
    if (params == 0) continue;
    if (!any) open.last = i;
    any = true;
    open.first = i;
    open.params += params;
    if (open.params < least) continue;
    out.push_back(open);
    open = {0, 0, 0, routed};
    any = false;
  }
  if (any) out.push_back(open);
}

}  // namespace

std::vector<Bucket> chunk_buckets(const std::vector<Unit>& units, bool bucketed, std::int64_t dp) {
  const std::int64_t least = bucketed ? std::max<std::int64_t>(40'000'000, 1'000'000 * dp) : std::numeric_limits<std::int64_t>::max();
  std::vector<Bucket> out;
  add_buckets(units, false, least, out);
  add_buckets(units, true, least, out);
  return out;
}

}  // namespace moesim
