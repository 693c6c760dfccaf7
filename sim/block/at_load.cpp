#include <algorithm>

#include "block/layer.h"

namespace moesim {

Op at_load(const ExpertKernel& k, const RankLoad& load) {
  Op op = k.op;
  const std::int64_t copies = (k.per_received ? load.received : load.tokens) * k.gathered;
  if (op.kind != OpKind::grouped_gemm) {
    op.traffic = std::max(op.traffic * copies, Bytes{1});
    return op;
  }
  const std::int64_t touched = std::min(load.touched, op.groups);
  op.m = std::max<std::int64_t>(copies * op.m, 1);
  op.groups = std::max<std::int64_t>(touched, 1);
  op.busiest = load.max_expert * k.gathered * k.op.m;
  return op;
}

Exchange at_load(const LoadedExchange& e, const RankLoad& load) {
  return {e.op, e.group, std::max(e.bytes_per_copy * load.received, Bytes{1})};
}

}  // namespace moesim
