// Ring collectives on paper. Oracles for tests; includes nothing of sim/.
#pragma once

namespace closed_form {

/// Bytes each of n ranks sends, and receives, for a buffer of `bytes`: n - 1 steps of bytes / n.
inline double ring_all_gather_bytes(double bytes, int n) { return bytes * (n - 1) / n; }
inline double ring_reduce_scatter_bytes(double bytes, int n) { return bytes * (n - 1) / n; }
/// A reduce-scatter, then an all-gather.
inline double ring_all_reduce_bytes(double bytes, int n) { return 2 * bytes * (n - 1) / n; }

}  // namespace closed_form
