// What to say when nothing can happen any more and somebody is not done.
#include <algorithm>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/kernel/kernel.h"

namespace moesim::kernel {
namespace {

constexpr int kMaxLinks = 6;  // of the chain of who waits for whom

std::string text(std::size_t n) { return std::to_string(n); }

}  // namespace

void Kernel::check_finished() const {
  for (std::uint32_t a = 0; a < hosts_.size(); ++a) {
    if (!finished(a)) deadlock(a);
  }
}

bool Kernel::finished(std::uint32_t actor) const {
  bool all = hosts_[actor].state == HostState::finished;
  for (std::size_t s = 0; s < stream_count_; ++s) {
    const Stream& st = stream(actor, s);
    all = all && st.state == StreamState::free && st.pending.empty();
  }
  return all;
}

/// Follows who waits for whom for a few links, until somebody waits for nobody else or for one who was named.
void Kernel::deadlock(std::uint32_t actor) const {
  std::string message = "deadlock at " + std::to_string(now_.count()) + " ps: ";
  std::vector<std::uint32_t> named;
  for (int link = 0; link < kMaxLinks && std::find(named.begin(), named.end(), actor) == named.end(); ++link) {
    named.push_back(actor);
    std::uint32_t because_of = kNone;
    message += (link > 0 ? "; " : "") + ("actor " + text(actor)) + blocked(actor, because_of);
    if (because_of == kNone) break;
    actor = because_of;
  }
  throw InternalError(message);
}

std::string Kernel::blocked(std::uint32_t actor, std::uint32_t& because_of) const {
  if (finished(actor)) return " has finished its program";
  for (std::size_t s = 0; s < stream_count_; ++s) {
    if (stream(actor, s).state == StreamState::in_transfer) return in_transfer(s, stream(actor, s), because_of) + host_state(actor);
  }
  for (std::size_t s = 0; s < stream_count_; ++s) {
    if (stream(actor, s).state == StreamState::in_wait) return in_wait(actor, s) + host_state(actor);
  }
  const std::string host = host_state(actor);
  return host.empty() ? " waits for nothing" : host;
}

std::string Kernel::in_transfer(std::size_t index, const Stream& s, std::uint32_t& because_of) const {
  const auto members = members_[s.target];
  std::size_t missing = 0;
  for (std::size_t m = members.size(); m-- > 0;) {
    if (has_joined(s.target, m)) continue;
    ++missing;
    because_of = members[m].value();
  }
  return ", stream " + text(index) + ", has joined transfer " + text(s.id) + " of group " + text(s.target) + " (layer " +
         text(s.tag.layer) + ", micro-batch " + text(s.tag.micro_batch) + ") and waits for " +
         (missing == 0 ? "nobody" : "actor " + text(because_of)) + " (" + text(missing) + " of " + text(members.size()) +
         " members have not joined)";
}

std::string Kernel::in_wait(std::uint32_t actor, std::size_t index) const {
  const Stream& s = stream(actor, index);
  return ", stream " + text(index) + ", waits for event slot " + text(s.target) + " (layer " + text(s.tag.layer) + ", micro-batch " +
         text(s.tag.micro_batch) + ")" + recorder(actor, s.target);
}

std::string Kernel::host_state(std::uint32_t actor) const {
  const Host& h = hosts_[actor];
  if (h.state == HostState::waiting) return ", its host waits for event slot " + text(h.wait_slot) + recorder(actor, h.wait_slot);
  if (h.state == HostState::queue_full) return ", its host waits for the launch queue of stream " + text(h.blocked_on);
  return "";
}

std::string Kernel::recorder(std::uint32_t actor, std::uint32_t event_slot) const {
  for (std::size_t s = 0; s < stream_count_; ++s) {
    const auto& pending = stream(actor, s).pending;
    for (std::uint32_t i = 0; i < pending.size(); ++i) {
      if (pending[i].kind == StepKind::record && pending[i].slot == event_slot) return ", which stream " + text(s) + " is to record";
    }
  }
  return "";
}

bool Kernel::has_joined(std::uint32_t group, std::size_t member) const {
  const std::uint8_t index = seat_streams_[first_place_[group] + member];
  if (index == kUnseated) return false;
  const Stream& s = stream(members_[group][member].value(), index);
  return s.state == StreamState::in_transfer && s.target == group;
}

}  // namespace moesim::kernel
