#include "calibration/rising.h"

#include <algorithm>
#include <cmath>

namespace moesim {
namespace {

void rise_along(std::vector<double>& all, std::size_t lines, std::size_t length, std::size_t line_step, std::size_t step) {
  std::vector<double> line(length);
  for (std::size_t l = 0; l < lines; ++l) {
    for (std::size_t i = 0; i < length; ++i) line[i] = all[l * line_step + i * step];
    const std::vector<double> risen = rising(line);
    for (std::size_t i = 0; i < length; ++i) all[l * line_step + i * step] = risen[i];
  }
}

double largest_change(const std::vector<double>& a, const std::vector<double>& b) {
  double out = 0;
  for (std::size_t i = 0; i < a.size(); ++i) out = std::max(out, std::abs(a[i] - b[i]));
  return out;
}

}  // namespace

std::vector<double> rising(std::span<const double> values) {
  struct Block {
    double sum;
    std::size_t size;
    double mean() const { return sum / static_cast<double>(size); }
  };
  std::vector<Block> blocks;
  for (const double v : values) {
    blocks.push_back({v, 1});
    while (blocks.size() > 1 && blocks[blocks.size() - 2].mean() > blocks.back().mean()) {
      const Block last = blocks.back();
      blocks.pop_back();
      blocks.back().sum += last.sum;
      blocks.back().size += last.size;
    }
  }
  std::vector<double> out;
  out.reserve(values.size());
  for (const Block& b : blocks) out.insert(out.end(), b.size, b.mean());
  return out;
}

std::vector<double> rising_by_medians(std::span<const double> values) {
  struct Block {
    std::vector<double> sorted;
    double median() const { return sorted[(sorted.size() - 1) / 2]; }
  };
  std::vector<Block> blocks;
  for (const double v : values) {
    blocks.push_back({{v}});
    while (blocks.size() > 1 && blocks[blocks.size() - 2].median() > blocks.back().median()) {
      const Block last = std::move(blocks.back());
      blocks.pop_back();
      std::vector<double>& sorted = blocks.back().sorted;
      const auto middle = static_cast<std::ptrdiff_t>(sorted.size());
      sorted.insert(sorted.end(), last.sorted.begin(), last.sorted.end());
      std::inplace_merge(sorted.begin(), sorted.begin() + middle, sorted.end());
    }
  }
  std::vector<double> out;
  out.reserve(values.size());
  for (const Block& b : blocks) out.insert(out.end(), b.sorted.size(), b.median());
  return out;
}

std::vector<double> rising_matrix(std::vector<double> all, std::size_t rows, std::size_t columns) {
  constexpr int kRounds = 100;
  for (int round = 0; round < kRounds; ++round) {
    const std::vector<double> before = all;
    rise_along(all, rows, columns, columns, 1);
    rise_along(all, columns, rows, 1, columns);
    if (largest_change(before, all) < 1e-9) break;
  }
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c) {
      double& x = all[r * columns + c];
      if (r > 0) x = std::max(x, all[(r - 1) * columns + c]);
      if (c > 0) x = std::max(x, all[r * columns + c - 1]);
    }
  return all;
}

}  // namespace moesim
