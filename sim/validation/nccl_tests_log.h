// What nccl-tests prints: "all_reduce_perf ... > log.txt". Any of its layouts: with or without the columns redop and root, one or two groups of
// time, algbw, busbw and #wrong (out of place, in place); lines of launchers ("[1,0]<stdout>:", "0: ") and of libraries in between.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace moesim {

struct NcclTestsRow {
  std::int64_t bytes = 0, count = 0;
  std::string type;                     // "float"
  std::string redop;                    // "sum"; "none" or "" where it reduces nothing or does not say
  double algbw = 0, busbw = 0;          // out of place, GB/s
  bool wrong = false;                   // its results were not those that the test expected
  double out_of_place_us = 0;
  std::optional<double> in_place_us;    // absent where the test has none
};

struct NcclTestsLog {
  std::string test;                     // "all_reduce_perf"; "" where the log does not say
  std::int64_t gpus = 0;                // ranks that it lists; 0 where it lists none
  std::map<std::string, std::int64_t> ranks_on;   // of each host that it names
  std::vector<NcclTestsRow> rows;       // at least one; sizes of zero are left out
  std::optional<double> average_busbw;  // its own last line, GB/s
};

/// Throws InputError of one line ("FILE:7: ...") : no header or row, a row of another layout, a cell that is no number, two tests in one log.
NcclTestsLog parse_nccl_tests(std::string_view text, const std::string& file);

}  // namespace moesim
