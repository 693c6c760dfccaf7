// Timed attention of whole sequences -> ratios over a closed form on a grid.
#pragma once

#include <string>
#include <vector>

#include "base/csv.h"
#include "hw/measured.h"
#include "model/op.h"

namespace moesim {

struct AttentionTiming {
  Op op;
  double seconds = 0;
};

struct AttentionSeries {
  std::string device, framework, kernel, format;   // as the table names them; "context" is the kernel of latent attention
  std::vector<AttentionTiming> timings;
};

/// Tables of attention (columns batch, seq, heads, kv_heads, head_dim) and of latent attention (phase, heads, batch, seq_or_kv_len).
bool is_attention_table(const CsvTable&);
/// Forward passes over whole sequences; decode is left out.
std::vector<AttentionSeries> attention_series(const CsvTable&);

/// Ratios at every length, work (sequences x heads), number of query heads to a key/value head, and head size that occurs: the mean of what
/// was timed there, else that of what is nearest.
MeasuredAttention fit_attention(const AttentionSeries&, const KernelNumbers& closed_form);

}  // namespace moesim
