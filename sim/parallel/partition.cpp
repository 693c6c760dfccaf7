// Colour refinement. A round gives every rank a new colour: its old one and, for each kind of group and each place level, the
// multiset of old colours among the group members at that place. Since places are nested, these cumulative multisets say the same as
// one multiset a hop distance. A multiset is hashed as a 128-bit sum of hashes of its colours, so that no order matters; with at most
// 2^26 multisets a round the chance that two different ones agree is below 2^-76.
#include "parallel/partition.h"

#include <algorithm>
#include <string>

#include "base/error.h"

namespace moesim {
namespace {

struct Hash128 {
  std::uint64_t low = 0, high = 0;
  bool operator==(const Hash128&) const = default;
  void add(const Hash128& o) { low += o.low, high += o.high; }
};

std::uint64_t mix(std::uint64_t x) {   // the finaliser of splitmix64
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

Hash128 hash_of(std::uint64_t value) { return {mix(value + 0x9e3779b97f4a7c15ull), mix(value * 0xd1342543de82ef95ull + 0x2545f4914f6cdd1dull)}; }

/// Appends `next` to a sequence hash.
void append(Hash128& h, const Hash128& next) {
  h.low = mix(h.low * 3 + next.low);
  h.high = mix(h.high * 5 + next.high);
}

/// Ranks cut into cells: the members of one group at one place. Ranks outside any group have kNoGroup.
struct Cells {
  std::vector<std::uint32_t> of;
  std::uint32_t count = 0;
};

/// Hands out dense numbers for keys in order of first appearance. Open addressing; never iterated.
class Numbering {
 public:
  explicit Numbering(std::size_t keys) {
    std::size_t slots = 16;
    while (slots < 2 * keys) slots *= 2;
    slots_.assign(slots, kNoGroup);
  }

  std::uint32_t number(const Hash128& key) {
    std::size_t slot = key.low & (slots_.size() - 1);
    while (slots_[slot] != kNoGroup) {
      if (keys_[slots_[slot]] == key) return slots_[slot];
      slot = (slot + 1) & (slots_.size() - 1);
    }
    slots_[slot] = static_cast<std::uint32_t>(keys_.size());
    keys_.push_back(key);
    return slots_[slot];
  }

  std::size_t size() const { return keys_.size(); }

 private:
  std::vector<std::uint32_t> slots_;
  std::vector<Hash128> keys_;
};

void check_numbers(const std::vector<std::uint32_t>& numbers, std::size_t ranks, bool may_be_none, const char* what) {
  if (numbers.size() != ranks)
    throw InternalError(std::string(what) + " of " + std::to_string(numbers.size()) + " ranks, there are " + std::to_string(ranks));
  for (const std::uint32_t n : numbers)
    if (n >= ranks && !(may_be_none && n == kNoGroup))
      throw InternalError(std::string(what) + " " + std::to_string(n) + " is out of range");
}

void check(const PartitionInput& in) {
  if (!in.colour.empty() && in.colour.size() != in.ranks)
    throw InternalError("colour of " + std::to_string(in.colour.size()) + " ranks, there are " + std::to_string(in.ranks));
  for (const auto& groups : in.group_of) check_numbers(groups, in.ranks, true, "group");
  for (const auto& places : in.place_of) check_numbers(places, in.ranks, false, "place");
  for (std::size_t level = 0; level + 1 < in.place_of.size(); ++level) {
    std::vector<std::uint32_t> outer(in.ranks, kNoGroup);
    for (std::size_t r = 0; r < in.ranks; ++r) {
      std::uint32_t& expected = outer[in.place_of[level][r]];
      if (expected == kNoGroup) expected = in.place_of[level + 1][r];
      if (expected != in.place_of[level + 1][r]) throw InternalError("places are not nested at rank " + std::to_string(r));
    }
  }
}

/// Ranks ordered by group, by counting sort; ranks outside any group left out.
std::vector<std::uint32_t> by_group(const std::vector<std::uint32_t>& group_of) {
  std::vector<std::uint32_t> start(group_of.size() + 1, 0);
  for (const std::uint32_t g : group_of)
    if (g != kNoGroup) ++start[g + 1];
  for (std::size_t g = 0; g < group_of.size(); ++g) start[g + 1] += start[g];
  std::vector<std::uint32_t> order(start.back());
  for (std::uint32_t r = 0; r < group_of.size(); ++r)
    if (group_of[r] != kNoGroup) order[start[group_of[r]]++] = r;
  return order;
}

/// Cells of one kind of group at one place level (null: everywhere).
Cells make_cells(const std::vector<std::uint32_t>& order, const std::vector<std::uint32_t>& group_of,
                 const std::vector<std::uint32_t>* place_of) {
  Cells cells{std::vector<std::uint32_t>(group_of.size(), kNoGroup), 0};
  std::vector<std::uint32_t> group_seen(group_of.size(), kNoGroup), cell(group_of.size());
  for (const std::uint32_t r : order) {
    const std::uint32_t place = place_of ? (*place_of)[r] : 0;
    if (group_seen[place] != group_of[r]) {
      group_seen[place] = group_of[r];
      cell[place] = cells.count++;
    }
    cells.of[r] = cell[place];
  }
  return cells;
}

/// All tables of cells that can tell ranks apart. Of nested levels with as many cells, one is enough; single-member cells say nothing
/// but that their rank is in a group, which the widest level also says, so they are kept only there.
std::vector<Cells> all_cells(const PartitionInput& in) {
  std::vector<Cells> out;
  for (const auto& group_of : in.group_of) {
    const std::vector<std::uint32_t> order = by_group(group_of);
    Cells whole = make_cells(order, group_of, nullptr);
    if (order.empty() || whole.count == in.ranks) continue;    // every rank is in a group of its own
    out.push_back(std::move(whole));
    for (std::size_t level = in.place_of.size(); level-- > 0;) {
      Cells cells = make_cells(order, group_of, &in.place_of[level]);
      if (cells.count == order.size()) break;                  // alone in its place here, so also nearer
      if (cells.count != out.back().count) out.push_back(std::move(cells));
    }
  }
  return out;
}

/// One round: refines class_of in place and returns the number of classes.
std::size_t refine(const std::vector<Cells>& tables, std::vector<std::uint32_t>& class_of) {
  std::vector<Hash128> signature(class_of.size()), colour(class_of.size());
  for (std::size_t r = 0; r < class_of.size(); ++r) colour[r] = signature[r] = hash_of(class_of[r]);
  std::vector<Hash128> sum;
  for (const Cells& cells : tables) {
    sum.assign(cells.count, {});
    for (std::size_t r = 0; r < class_of.size(); ++r)
      if (cells.of[r] != kNoGroup) sum[cells.of[r]].add(colour[r]);
    for (std::size_t r = 0; r < class_of.size(); ++r) append(signature[r], cells.of[r] == kNoGroup ? Hash128{} : sum[cells.of[r]]);
  }
  Numbering classes(class_of.size());
  for (std::size_t r = 0; r < class_of.size(); ++r) class_of[r] = classes.number(signature[r]);
  return classes.size();
}

}  // namespace

Partition coarsest_equitable_partition(const PartitionInput& in) {
  check(in);
  const std::vector<Cells> tables = all_cells(in);
  Partition out;
  Numbering first(in.ranks);
  for (std::size_t r = 0; r < in.ranks; ++r) out.class_of.push_back(first.number(hash_of(in.colour.empty() ? 0 : in.colour[r])));
  for (std::size_t before = 0, now = first.size(); now != before && now < in.ranks;) {
    before = now;
    now = refine(tables, out.class_of);
  }
  for (std::uint32_t r = 0; r < in.ranks; ++r) {
    if (out.class_of[r] == out.representative.size()) {
      out.representative.push_back(Rank{r});
      out.size.push_back(0);
    }
    ++out.size[out.class_of[r]];
  }
  return out;
}

}  // namespace moesim
