#include "collective/collective.h"

#include <vector>

#include "base/error.h"
#include "collective/algorithms.h"
#include "collective/measured.h"
#include "collective/pairwise.h"

namespace moesim {
std::string_view name(CollectiveOp op) {
  switch (op) {
    case CollectiveOp::all_reduce: return "all_reduce";
    case CollectiveOp::all_gather: return "all_gather";
    case CollectiveOp::reduce_scatter: return "reduce_scatter";
    case CollectiveOp::all_to_all: return "all_to_all";
    case CollectiveOp::broadcast: return "broadcast";
    case CollectiveOp::reduce: return "reduce";
    case CollectiveOp::send_recv: return "send_recv";
  }
  return "";
}

namespace {

CollectiveCost all_to_all(std::int64_t bytes, const Placement& p, const HwProfile& hw) {
  const std::vector<std::int64_t> to(static_cast<std::size_t>(p.ranks), ceil_div(bytes, p.ranks));
  PairwiseCost cost = pairwise(pairwise_loads(to, p, hw), p, hw);
  return {std::move(cost.transfer), "pairwise", cost.protocol};
}

}  // namespace

CollectiveCost by_formula(CollectiveOp op, Bytes bytes, const Placement& p, const HwProfile& hw, const Wanted& wanted) {
  switch (op) {
    case CollectiveOp::all_reduce: return all_reduce(bytes.count(), p, hw, wanted);
    case CollectiveOp::all_gather:
    case CollectiveOp::reduce_scatter: return gather_or_scatter(op, bytes.count(), p, hw, wanted);
    case CollectiveOp::all_to_all: return all_to_all(bytes.count(), p, hw);
    case CollectiveOp::broadcast:
    case CollectiveOp::reduce: return broadcast_or_reduce(bytes.count(), p, hw);
    case CollectiveOp::send_recv: return send_recv(bytes.count(), p, hw);
  }
  throw InternalError("unknown collective");
}

CollectiveCost collective(CollectiveOp op, Bytes bytes, const Placement& p, const HwProfile& hw) {
  if (p.ranks <= 1 || bytes.count() <= 0) return {Transfer{{}, {}, {Transfer::Member{}}}, "none", ""};
  const std::optional<CollectiveCurves::Time> measured = measured_time(op, static_cast<double>(bytes.count()), p, hw);
  if (!measured) return by_formula(op, bytes, p, hw);
  CollectiveCost out = by_formula(op, bytes, p, hw, measured->pick ? Wanted{measured->pick->algorithm, measured->pick->protocol} : Wanted{});
  take_measured(out.transfer, *measured, hw);
  out.provenance = provenance(*measured);
  if (measured->pick) out.algorithm = measured->pick->algorithm, out.protocol = measured->pick->protocol;
  return out;
}

double bus_factor(CollectiveOp op, std::int64_t ranks) {
  const double n = static_cast<double>(ranks);
  if (op == CollectiveOp::broadcast || op == CollectiveOp::reduce || op == CollectiveOp::send_recv) return 1;
  return (op == CollectiveOp::all_reduce ? 2 : 1) * (n - 1) / n;
}

Bandwidth bus_bandwidth(CollectiveOp op, Bytes bytes, std::int64_t ranks, Time time) {
  return Bandwidth{static_cast<double>(bytes.count()) / seconds(time) * bus_factor(op, ranks)};
}

}  // namespace moesim
