#include <algorithm>
#include <deque>
#include <random>

#include "peer/flows.h"

namespace moesim::peer {
namespace {

/// mt19937_64 by itself: equal numbers everywhere.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed * 2654435761 + 99) {}
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(engine_() % n); }

 private:
  std::mt19937_64 engine_;
};

struct Cable {
  std::uint32_t to, link;
};

class Builder {
 public:
  Builder(std::uint64_t seed, const Shape& s) : dice_(seed), shape_(s), from_(s.switches) {
    for (std::uint32_t i = 1; i < s.switches; ++i) join(i, dice_.below(i));
    for (std::uint32_t i = 0; i < s.cables; ++i) {
      const std::uint32_t a = dice_.below(s.switches), b = dice_.below(s.switches);
      if (a != b) join(a, b);
    }
    for (std::uint32_t i = 0; i < s.hosts; ++i) hosts_.push_back({dice_.below(s.switches), {link(), link()}});
    out_.latency_ns.assign(out_.capacity.size(), s.only_first ? 0 : s.latency_ns);
    for (const Host& h : hosts_) out_.latency_ns[h.links[0]] = s.latency_ns;
  }

  Network build() {
    while (out_.routes.size() < shape_.routes) {
      const std::uint32_t a = dice_.below(shape_.hosts), b = dice_.below(shape_.hosts);
      if (a != b) add_route(hosts_[a], hosts_[b]);
    }
    for (std::uint32_t i = 0; i < shape_.flows; ++i) add_flow();
    return std::move(out_);
  }

 private:
  struct Host {
    std::uint32_t at;
    std::uint32_t links[2];   // up, down
  };

  std::uint32_t link() {
    out_.capacity.push_back(1'000'000'000LL * (1 + dice_.below(50)));
    return static_cast<std::uint32_t>(out_.capacity.size() - 1);
  }

  void join(std::uint32_t a, std::uint32_t b) {
    from_[a].push_back({b, link()});
    from_[b].push_back({a, link()});
  }

  /// Breadth first.
  void add_route(const Host& a, const Host& b) {
    std::vector<Cable> came(shape_.switches, {~0u, ~0u});
    std::deque<std::uint32_t> next{a.at};
    came[a.at] = {a.at, ~0u};
    while (!next.empty()) {
      const std::uint32_t here = next.front();
      next.pop_front();
      for (const Cable& c : from_[here]) {
        if (came[c.to].to != ~0u) continue;
        came[c.to] = {here, c.link};
        next.push_back(c.to);
      }
    }
    std::vector<std::uint32_t> links{b.links[1]};
    for (std::uint32_t s = b.at; s != a.at; s = came[s].to) links.push_back(came[s].link);
    links.push_back(a.links[0]);
    std::reverse(links.begin(), links.end());
    out_.routes.push_back(std::move(links));
  }

  void add_flow() {
    const std::uint32_t route = dice_.below(static_cast<std::uint32_t>(out_.routes.size()));
    std::int64_t narrowest = out_.capacity[out_.routes[route].front()];
    for (const std::uint32_t l : out_.routes[route]) narrowest = std::min(narrowest, out_.capacity[l]);
    const std::int64_t bytes = narrowest / 1000 * (10 + dice_.below(90)) + dice_.below(100'000);
    out_.flows.push_back({route, bytes, shape_.at_once ? 0 : static_cast<std::int64_t>(dice_.below(50'000))});
  }

  Dice dice_;
  Shape shape_;
  std::vector<std::vector<Cable>> from_;   // each switch
  std::vector<Host> hosts_;
  Network out_;
};

}  // namespace

Network random_network(std::uint64_t seed, const Shape& s) { return Builder(seed, s).build(); }

}  // namespace moesim::peer
