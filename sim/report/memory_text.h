// What a layout must hold, for people.
#pragma once

#include <string>

#include "train/memory.h"

namespace moesim {

/// The components of the fullest stage; what is free or does not fit, and by how much.
std::string to_text(const MemoryReport&);
/// Every stage and component as a table.
std::string stages_text(const MemoryReport&);
/// Where the peak of the fullest stage would be measured, from the errors of published rows, and whether any of them ran on this machine.
std::string likely_peak(const MemoryReport&, const std::string& machine);
/// "does not fit: stage 0 needs 91.2 GiB of 74.5 GiB usable, 16.7 GiB too much. Largest: activations 60.1 GiB (less with
/// recompute.granularity=full)": the largest components, and the settings that would lower them. Says so if published
/// peaks were so far below the predicted ones that it may fit.
std::string does_not_fit(const MemoryReport&);

}  // namespace moesim
