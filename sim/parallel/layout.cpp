#include "parallel/layout.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace moesim {
namespace {

constexpr std::uint8_t kTp = 1, kCp = 2, kEp = 4, kDp = 8, kPp = 16;
constexpr std::array<std::pair<std::string_view, std::uint8_t>, 5> kDimensions{
    {{"tp", kTp}, {"cp", kCp}, {"ep", kEp}, {"dp", kDp}, {"pp", kPp}}};

struct KindRow {
  std::string_view name;
  bool expert;          // which grid
  std::uint8_t mask;    // dimensions that vary inside a group
};
constexpr std::array<KindRow, kGroupKinds> kKinds{{
    {"tp", false, kTp},
    {"cp", false, kCp},
    {"dp", false, kDp},
    {"dp_cp", false, kDp | kCp},
    {"pp", false, kPp},
    {"tp_cp", false, kTp | kCp},
    {"tp_pp", false, kTp | kPp},
    {"embedding", false, kPp},   // the ends of each pipeline group
    {"ep", true, kEp},
    {"etp", true, kTp},
    {"tp_ep", true, kTp | kEp},
    {"edp", true, kDp},
}};

const KindRow& row(GroupKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

std::string text(std::int64_t n) { return std::to_string(n); }

[[noreturn]] void bad_order(const std::string& order, const std::string& why) {
  throw InputError("order: found \"" + shortened(order) + "\", allowed is a permutation of tp, cp, ep, dp, pp such as \"tp-cp-ep-dp-pp\": " + why);
}

std::array<std::uint8_t, 5> parse_order(const std::string& order) {
  std::array<std::uint8_t, 5> out{};
  std::size_t count = 0, begin = 0;
  std::uint8_t seen = 0;
  while (begin <= order.size()) {
    const std::size_t end = std::min(order.find('-', begin), order.size());
    const std::string word = order.substr(begin, end - begin);
    begin = end + 1;
    const auto found = std::find_if(kDimensions.begin(), kDimensions.end(), [&](const auto& d) { return d.first == word; });
    if (found == kDimensions.end()) bad_order(order, "\"" + word + "\" is no dimension");
    if (seen & found->second) bad_order(order, word + " stands there twice");
    seen = static_cast<std::uint8_t>(seen | found->second);
    out[count++] = found->second;
  }
  for (const auto& [word, bit] : kDimensions)
    if (!(seen & bit)) bad_order(order, std::string(word) + " is missing");
  return out;
}

void check_sizes(const ParallelSizes& s) {
  if (s.gpus < 1 || s.gpus > kMaxGpus) throw InputError("gpus: found " + text(s.gpus) + ", allowed is 1 to " + text(kMaxGpus));
  const std::array<std::pair<const char*, std::int64_t>, 5> sizes{
      {{"tp", s.tp}, {"pp", s.pp}, {"cp", s.cp}, {"ep", s.ep}, {"etp", s.etp}}};
  for (const auto& [word, size] : sizes)
    if (size < 1 || size > s.gpus)
      throw InputError(std::string(word) + ": found " + text(size) + ", allowed is 1 to gpus = " + text(s.gpus));
  if (s.vpp < 1 || s.vpp > kMaxGpus) throw InputError("vpp: found " + text(s.vpp) + ", allowed is 1 to " + text(kMaxGpus));
  if (s.vpp > 1 && s.pp == 1) throw InputError("vpp: found " + text(s.vpp) + " with pp 1, allowed is 1: model chunks need pp > 1");
}

/// gpus / (a * b * pp), where both grids must use all ranks. Factors are at most kMaxGpus, so the product fits 64 bits.
std::int64_t remaining(std::int64_t gpus, std::string_view names, std::int64_t a, std::int64_t b, std::int64_t pp) {
  const std::int64_t product = a * b * pp;
  if (gpus % product != 0)
    throw InputError("gpus " + text(gpus) + " is not divisible by " + std::string(names) + " = " + text(a) + " * " + text(b) + " * " +
                     text(pp) + " = " + text(product));
  return gpus / product;
}

}  // namespace

std::string_view name(GroupKind kind) { return row(kind).name; }

ParallelLayout::ParallelLayout(ParallelSizes sizes) : sizes_(std::move(sizes)) {
  if (sizes_.etp == 0) sizes_.etp = sizes_.tp;   // Megatron's default is tp, not 1
  check_sizes(sizes_);
  const auto order = parse_order(sizes_.order);
  dp_ = remaining(sizes_.gpus, "tp * cp * pp", sizes_.tp, sizes_.cp, sizes_.pp);
  edp_ = remaining(sizes_.gpus, "etp * ep * pp", sizes_.etp, sizes_.ep, sizes_.pp);
  attention_ = make_grid(order, {sizes_.tp, sizes_.cp, 1, dp_, sizes_.pp});
  expert_ = make_grid(order, {sizes_.etp, 1, sizes_.ep, edp_, sizes_.pp});
  check_pipeline_groups();
}

ParallelLayout::Grid ParallelLayout::make_grid(const std::array<std::uint8_t, 5>& order, const std::array<std::int64_t, 5>& sizes) {
  Grid grid;
  std::int64_t stride = 1;
  for (std::size_t i = 0; i < order.size(); ++i) {
    std::size_t d = 0;
    while (kDimensions[d].second != order[i]) ++d;
    grid[i] = {order[i], sizes[d], stride};
    stride *= sizes[d];
  }
  return grid;
}

/// Both grids must give the same pipelines, or a stage would mix layers of two stages.
void ParallelLayout::check_pipeline_groups() const {
  if (sizes_.pp == 1) return;
  const std::string why = "order \"" + sizes_.order + "\" gives other pipeline groups to attention than to experts: ";
  const bool pp_last = attention_.back().dimension == kPp;
  if (!pp_last && dp_ != edp_)
    throw InputError(why + "pp is not last, so dp must equal edp, but dp = " + text(dp_) + " and edp = " + text(edp_));
  const auto stride = [](const Grid& grid) {
    return std::find_if(grid.begin(), grid.end(), [](const Axis& a) { return a.dimension == kPp; })->stride;
  };
  if (stride(attention_) != stride(expert_))
    throw InputError(why + "neighbouring stages are " + text(stride(attention_)) + " and " + text(stride(expert_)) + " ranks apart");
}

std::int64_t ParallelLayout::coordinate(const Grid& grid, std::uint8_t dimension, std::int64_t rank) {
  for (const Axis& axis : grid)
    if (axis.dimension == dimension) return axis.of(rank);
  return 0;
}

Coordinates ParallelLayout::coordinates(Rank rank) const {
  const std::int64_t r = rank.value();
  return {coordinate(attention_, kTp, r), coordinate(attention_, kCp, r), coordinate(attention_, kDp, r), coordinate(attention_, kPp, r),
          coordinate(expert_, kTp, r),    coordinate(expert_, kEp, r),    coordinate(expert_, kDp, r)};
}

const ParallelLayout::Grid& ParallelLayout::grid_of(GroupKind kind) const { return row(kind).expert ? expert_ : attention_; }

std::int64_t ParallelLayout::group_size(GroupKind kind) const {
  if (kind == GroupKind::embedding) return std::min<std::int64_t>(sizes_.pp, 2);
  std::int64_t size = 1;
  for (const Axis& axis : grid_of(kind))
    if (axis.dimension & row(kind).mask) size *= axis.size;
  return size;
}

std::size_t ParallelLayout::group_count(GroupKind kind) const {
  return static_cast<std::size_t>(sizes_.gpus / (kind == GroupKind::embedding ? sizes_.pp : group_size(kind)));
}

bool ParallelLayout::in_group(GroupKind kind, Rank rank) const {
  if (kind != GroupKind::embedding) return true;
  const std::int64_t stage = coordinate(attention_, kPp, rank.value());
  return stage == 0 || stage == sizes_.pp - 1;
}

std::size_t ParallelLayout::group_of(GroupKind kind, Rank rank) const {
  if (!in_group(kind, rank)) throw InternalError("rank " + text(rank.value()) + " is in no embedding group");
  std::int64_t group = 0, radix = 1;
  for (const Axis& axis : grid_of(kind)) {
    if (axis.dimension & row(kind).mask) continue;
    group += axis.of(rank.value()) * radix;
    radix *= axis.size;
  }
  return static_cast<std::size_t>(group);
}

std::int64_t ParallelLayout::index_in_group(GroupKind kind, Rank rank) const {
  if (kind == GroupKind::embedding) {
    if (!in_group(kind, rank)) throw InternalError("rank " + text(rank.value()) + " is in no embedding group");
    return coordinate(attention_, kPp, rank.value()) == 0 ? 0 : 1;
  }
  std::int64_t index = 0, radix = 1;
  for (const Axis& axis : grid_of(kind)) {
    if (!(axis.dimension & row(kind).mask)) continue;
    index += axis.of(rank.value()) * radix;
    radix *= axis.size;
  }
  return index;
}

std::vector<Rank> ParallelLayout::members(GroupKind kind, std::size_t group) const {
  if (group >= group_count(kind))
    throw InternalError("there is no " + std::string(name(kind)) + " group " + std::to_string(group));
  std::int64_t first = 0, rest = static_cast<std::int64_t>(group);
  for (const Axis& axis : grid_of(kind)) {
    if (axis.dimension & row(kind).mask) continue;
    first += rest % axis.size * axis.stride;
    rest /= axis.size;
  }
  std::vector<Rank> out{Rank{static_cast<std::uint32_t>(first)}};
  for (const Axis& axis : grid_of(kind)) {
    if (!(axis.dimension & row(kind).mask)) continue;
    const std::size_t inner = out.size();
    for (std::int64_t i = 1; i < axis.size; ++i)
      for (std::size_t m = 0; m < inner; ++m) out.push_back(Rank{out[m].value() + static_cast<std::uint32_t>(i * axis.stride)});
  }
  if (kind == GroupKind::embedding && out.size() > 2) out = {out.front(), out.back()};
  return out;
}

}  // namespace moesim
