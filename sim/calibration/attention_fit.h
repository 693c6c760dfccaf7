// Timed attention of whole sequences -> ratios over a closed form on a grid.
#pragma once

#include "calibration/timed_series.h"
#include "hw/measured.h"

namespace moesim {

/// `s`: whole sequences, of a table of attention or of latent attention. Ratios at every length, work (sequences x heads), number of query
/// heads to a key/value head, and head size that occurs: the mean of what was timed there, else that of what is nearest.
MeasuredAttention fit_attention(const TimedSeries& s, const KernelNumbers& closed_form);

}  // namespace moesim
