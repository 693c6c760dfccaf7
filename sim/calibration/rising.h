// The nearest rising sequence and matrix.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace moesim {

/// Least squares under the condition that no entry is below the one before it (pool adjacent violators).
std::vector<double> rising(std::span<const double>);

/// The same by least absolute differences: a block that would fall takes its median, so that a single value far off moves no other.
std::vector<double> rising_by_medians(std::span<const double>);

/// A matrix, row-major, made to rise along rows and columns: rows and columns in turn until nothing changes by more than 1e-9 (at most
/// 100 rounds, then running maxima close what is left).
std::vector<double> rising_matrix(std::vector<double>, std::size_t rows, std::size_t columns);

}  // namespace moesim
