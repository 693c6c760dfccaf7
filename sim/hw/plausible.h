// What a profile must satisfy as a whole, and what looks like a slip of the unit.
#pragma once

#include <string>

#include "hw/profile.h"
#include "hw/sourced_document.h"

namespace moesim {

/// Throws InputError ("file: path: ...") for numbers that contradict each other.
void check_consistent(const HwProfile&, const std::string& file);

/// Values that no machine has: NVLink slower than PCIe, a NIC of terabits.
void add_absolute_warnings(HwProfile&, const SourcedDocument&);

/// Throws InputError where `own`, which extends `base`, changes the SMs and not the rates that belong to them.
void check_own_rates(const HwProfile& now, const HwProfile& base, const Document& own);

/// Warns of what `own` says of the fabric in vain.
void add_idle_warnings(HwProfile& now, const Document& own);

/// Bandwidths far from those of the profile that is extended.
void add_relative_warnings(HwProfile&, const HwProfile& base, const SourcedDocument&);

}  // namespace moesim
