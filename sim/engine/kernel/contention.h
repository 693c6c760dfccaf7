// Who shares what with whom, and how fast each transfer moves.
//
// Rates are in bytes/s on a transfer's heaviest load ("its rate"); a transfer that runs at full speed has the rate heaviest / span.
// A port binds while the sum of what its transfers load at full speed exceeds its capacity. Transfers that touch no binding port run
// at full speed without any solver; the others share max-min fairly, component by component, by progressive filling: all rates rise
// together until a port is full (its transfers are frozen) or a transfer reaches full speed.
//
// When a transfer ends, nothing changes for those that are slower than it was: filling would be the same up to its rate, since its ports
// are not full before that. So only the others are solved again, with what the slower ones take of their ports taken away.
#pragma once

#include <span>
#include <vector>

#include "engine/kernel/fixed.h"
#include "engine/kernel/filling.h"
#include "engine/workload.h"

namespace moesim::kernel {

class Contention {
 public:
  struct Change {
    std::uint32_t flight;
    Speed speed;
  };

  explicit Contention(const Workload& workload) : workload_(workload), first_link_(static_cast<std::uint32_t>(workload.actors() * kPorts)), ports_(first_link_ + workload.links()) {}

  /// A transfer with span > 0 starts to load its ports, at full speed until the next solve(). `members` and `transfer` stay valid
  /// until end(). Throws InternalError on a capacity <= 0 or negative bytes.
  void begin(std::uint32_t flight, std::span<const ActorId> members, const Transfer& transfer);
  void end(std::uint32_t flight);

  bool dirty() const { return !dirty_.empty(); }
  /// The speeds that changed since the last solve. Valid until the next call.
  std::span<const Change> solve();
  std::uint64_t solves() const { return solves_; }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr Rate kNothingChanged = Rate{1} << 110;

  struct Loads {                     // of one active transfer
    std::span<const ActorId> members;
    const Transfer* transfer = nullptr;
    std::int64_t heaviest = 0;
    Rate full = -1;                  // nominal rate of the heaviest load; below 0 = not asked yet
    Speed speed = kFullSpeed;
    Rate rate = 0;                   // of the last solve that saw it
    std::uint64_t epoch = 0;         // of the last solve that saw it
    std::uint32_t local = 0;         // its index there
    bool dirty = false;
  };
  struct Use {                       // of a port by one member of a transfer
    std::uint32_t flight;
    std::uint32_t next;
    std::int64_t bytes;
  };
  struct PortState {
    std::int64_t capacity = 0;       // 0: not asked yet
    std::uint32_t first = kNone;     // use
    std::uint32_t users = 0;
    std::uint64_t epoch = 0;
    Rate demand = 0;                 // sum of full-speed rates; kept while there are two users or more
    bool binds = false;
  };

  template <class F> void each_load(const Loads&, F&&) const;
  std::int64_t ask_capacity(std::uint32_t port) const;
  std::int64_t capacity(std::uint32_t port);
  Rate nominal(const Use&) const;
  void add_use(std::uint32_t port, std::uint32_t flight, std::int64_t bytes);
  void remove_use(std::uint32_t port, std::uint32_t flight);
  /// Whether filling would find the same as before. Not asked of those that it has found since.
  bool is_settled(const Loads& l) const { return l.epoch != epoch_ && l.rate < unchanged_below_; }
  void mark_users(const PortState&);
  void mark(std::uint32_t flight);
  void collect(std::uint32_t flight);
  void collect_port(std::uint32_t port);
  std::uint32_t local(std::uint32_t flight);

  const Workload& workload_;
  const std::uint32_t first_link_;
  std::vector<PortState> ports_;     // actor * kPorts + port, then the links
  std::vector<Loads> loads_;         // by flight
  std::vector<Use> uses_;
  std::uint32_t free_use_ = kNone;
  std::vector<std::uint32_t> dirty_;
  std::vector<std::uint32_t> component_;
  std::vector<Change> changes_;
  Filling filling_;
  Rate unchanged_below_ = kNothingChanged;   // rates at the last solve
  std::uint64_t epoch_ = 0;
  std::uint64_t solves_ = 0;
};

}  // namespace moesim::kernel
