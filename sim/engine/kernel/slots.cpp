// Event slots: records, waits, and the host that waits for the device.
#include "engine/kernel/kernel.h"

namespace moesim::kernel {

std::uint32_t Kernel::new_cell() {
  std::uint32_t index = free_cell_;
  if (index == kNone) {
    index = static_cast<std::uint32_t>(cells_.size());
    cells_.emplace_back();
  } else {
    free_cell_ = cells_[index].references;
  }
  cells_[index] = Cell{};
  return index;
}

void Kernel::release(std::uint32_t cell) {
  if (--cells_[cell].references > 0) return;
  cells_[cell].references = free_cell_;
  free_cell_ = cell;
}

/// If the slot's record has been reached meanwhile, keeps its moment and lets go of the cell.
void Kernel::settle(Slot& e) {
  if (e.cell == kNone || !cells_[e.cell].is_set) return;
  e.set = cells_[e.cell].set;
  release(e.cell);
  e.cell = kNone;
}

/// The slot now means this record. If its stream gets there at once no cell is needed.
void Kernel::issue_record(Slot& e, Pending& p, bool direct) {
  if (e.cell != kNone) release(e.cell);
  e.cell = kNone;
  if (direct) return;
  e.cell = p.cell = new_cell();
  cells_[e.cell].references = 2;
}

void Kernel::issue_wait(Slot& e, Pending& p) {
  settle(e);
  if (e.cell == kNone) {
    p.segment.device = e.set.time;
    p.segment.kernels = e.set.cause;
  } else {
    p.cell = e.cell;
    ++cells_[e.cell].references;
  }
}

/// False if the host must stop here until the slot is set. It comes back to the same step then: no later record can have been issued.
bool Kernel::host_wait(std::uint32_t actor, Host& host, const Step& step) {
  Slot& e = slot(actor, step.slot);
  settle(e);
  if (e.cell != kNone) {
    cells_[e.cell].host_waits = true;
    host.state = HostState::waiting;
    host.wait_slot = step.slot;
    return false;
  }
  if (e.set.time <= host.clock.time) return true;
  tell([&](Observer& o) { o.on_host_wait(ActorId{actor}, host.clock.time, e.set.time, e.set.cause); });
  host.clock = e.set;
  return true;
}

/// The record behind `cell` has been reached: wakes whoever waits for it.
void Kernel::set_cell(std::uint32_t actor, std::uint32_t index, const Moment& moment) {
  Cell& cell = cells_[index];
  cell.set = moment;
  cell.is_set = true;
  for (std::uint16_t w = cell.first_waiter; w != kNoWaiter;) {
    Stream& s = stream(actor, w);
    const auto waiter = static_cast<std::uint8_t>(w);
    w = s.next_waiter;
    end_wait(actor, waiter, s, moment);
    awake_.push_back(waiter);
    release(index);
  }
  if (cell.host_waits) host_awake_ = true;
  release(index);
}

}  // namespace moesim::kernel
