// Whether a lone transfer gets through the ports of its machine, in whole numbers.
#pragma once

#include "collective/ports.h"
#include "engine/kernel/fixed.h"

namespace moesim::test {

inline bool passes_its_ports(const Transfer& t, const HwProfile& hw) {
  for (const Transfer::Member& m : t.members)
    for (std::size_t port = 0; port < kPorts; ++port) {
      const kernel::Int128 work = kernel::Int128{t.load(m, port)} * kSecond.count();
      if (work > kernel::Int128{capacity(hw, static_cast<Port>(port))} * t.span.count()) return false;
    }
  return true;
}

}  // namespace moesim::test
