// Collectives that were measured: the profile's curves in place of the formula's time.
#pragma once

#include "collective/collective.h"

namespace moesim {

/// What the machine's curves say of a group: those of its scale-up fabric for a group behind one switch, those of the fabric above for whole
/// domains. Nothing where there is no curve.
std::optional<CollectiveCurves::Time> measured_time(CollectiveOp, double bytes, const Placement&, const HwProfile&);

Provenance provenance(const CollectiveCurves::Time&);

/// The formula's transfer, taking as long as was measured: what exceeds its span waits first; where the measured time is shorter, the ports are filled better
/// than the profile says, up to their peak, and all members end sooner by the same factor. Returns whether the time was taken: one that is only known
/// to be at most so long is not, if the formula stays below it.
bool take_measured(Transfer& formula, const CollectiveCurves::Time&, const HwProfile&);

}  // namespace moesim
