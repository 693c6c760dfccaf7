// Measured times as tables give them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace moesim {

/// What a kind of table keeps with a row beyond numbers.
struct CaseDetail {
  virtual ~CaseDetail() = default;
};

struct TimedRow {
  std::string shape;          // what folds leave out together: "n 512, k 1024"; of communication a whole curve: "4 GPUs"
  std::vector<double> at;     // the numbers that a fit reads; rows of a series with equal numbers are the same case
  double size = 0;            // bytes or tokens, where a shape is a curve over them of which every other point is left out as well; else 0
  double seconds = 0;         // measured
  double closed_form = 0;     // seconds by a formula that has seen no table: the machine's closed form, NCCL's own model
  double flops = 0, bytes = 0;   // work, for the roofline of three constants; both 0 where there is none (communication)
  std::shared_ptr<const CaseDetail> detail = nullptr;
};

/// One kernel of one library on one device in one number format.
struct TimedSeries {
  std::string device, table, framework, kernel, format;
  std::vector<TimedRow> rows;
  bool unhealthy = false;     // known to be wrong: reported, never fitted
};

/// Rows of a table that no kernel of moesim answers for: why, and how many, in the order in which reasons first occur.
class UnansweredRows {
 public:
  void add(const std::string& why);
  const std::vector<std::pair<std::string, std::int64_t>>& reasons() const { return reasons_; }

 private:
  std::vector<std::pair<std::string, std::int64_t>> reasons_;
};

/// The last of `all` with these names, or a new one.
TimedSeries& series_named(std::vector<TimedSeries>& all, const TimedSeries& names);

}  // namespace moesim
