// Transfers that begin at once on the ports of a machine.
#pragma once

#include <vector>

#include "collective/ports.h"
#include "unit/engine/script_workload.h"

namespace moesim {

struct OnMachine : ScriptWorkload {
  explicit OnMachine(const HwProfile& hw) : hw_(hw) {}
  std::int64_t capacity(ActorId, Port port) const override { return moesim::capacity(hw_, port); }

 private:
  const HwProfile& hw_;
};

/// When `several` transfers of the same ranks end that begin together.
inline Time together(const std::vector<Transfer>& several, std::size_t members, const HwProfile& hw) {
  OnMachine w(hw);
  w.all.resize(members);
  std::vector<std::uint32_t> everybody(members);
  for (std::uint32_t m = 0; m < members; ++m) everybody[m] = m;
  for (std::uint16_t i = 0; i < several.size(); ++i) {
    w.add_group(i, everybody);
    const std::uint32_t id = w.add_transfer(several[i]);
    for (auto& actor : w.all) actor.steps.push_back(xfer(static_cast<std::uint8_t>(i), i, id));
  }
  return run(w).end;
}

}  // namespace moesim
