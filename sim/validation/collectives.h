// Collectives as nccl-tests times them: predicted, and beside a log of real ones.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calibration/scores.h"
#include "collective/collective.h"
#include "hw/profile.h"
#include "validation/nccl_tests_log.h"

namespace moesim {

/// An operation by the name that nccl-tests gives it.
struct CollectiveTest {
  std::string_view name;      // "alltoall"
  CollectiveOp op;
  std::string kernel{};       // of a serving engine in NCCL's place; only for all_reduce
};
/// all_reduce, all_gather, ...; "alltoall" and "send_recv" mean "all_to_all" and "sendrecv". Throws InputError with the nearest name.
CollectiveTest collective_test(const std::string& name);
std::vector<std::string> collective_test_names();

struct CollectiveRow {
  std::int64_t gpus = 0, bytes = 0;
  std::string_view algorithm, protocol;
  Provenance provenance = Provenance::analytic;
  double us = 0, algbw = 0, busbw = 0;           // GB/s
  std::optional<NcclTestsRow> measured;
  double error() const { return us / measured->out_of_place_us - 1; }
};

struct CollectiveReport {
  std::string hardware, test;
  std::vector<CollectiveRow> rows;
  std::optional<double> average_busbw;   // of the log that was compared
  std::vector<std::string> notes;        // on placements
  bool compared() const { return !rows.empty() && rows.front().measured; }
};

/// `name` of the engine kernels that were timed on the machine. Throws InputError with those that were.
CollectiveTest fused_test(const CollectiveTest&, const std::string& kernel, const HwProfile&);

/// `gpus` >= 2 ranks on the first GPUs of the machine, bytes > 0. In sendrecv each rank sends to the next: the farthest pair counts.
CollectiveRow predict_collective(const CollectiveTest&, std::int64_t bytes, std::int64_t gpus, const HwProfile&);

/// One row for each of the log's. Throws InputError (`file` names it) for a log of another test or number of GPUs: by its name, by whether
/// it reduces, by busbw over algbw.
CollectiveReport compare_collectives(const CollectiveTest&, const NcclTestsLog&, const std::string& file, std::optional<std::int64_t> gpus, const HwProfile&);

/// Where a number of GPUs leaves a scale-up domain partly filled: what that means and what would not. "" where it does not.
std::string placement_note(std::int64_t gpus, const HwProfile&);

/// A float for each share: that of the whole, or of one rank where ranks hold shares.
std::int64_t least_bytes(CollectiveOp, std::int64_t gpus);
/// Elements of four bytes as nccl-tests counts them: of one rank's share where ranks hold shares.
std::int64_t element_count(CollectiveOp, std::int64_t bytes, std::int64_t gpus);

/// Errors of the out-of-place times.
ErrorStats comparison_errors(const CollectiveReport&);

/// Columns that `width` does not hold are left out: first counts and types, then algbw, or what --compare has beside the out-of-place times.
std::string to_text(const CollectiveReport&, std::size_t width = 80);
std::string to_json(const CollectiveReport&);
std::string to_csv(const CollectiveReport&);

}  // namespace moesim
