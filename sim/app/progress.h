// A line that says that a long run goes on. Only on a terminal: a log gets nothing.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <ostream>
#include <thread>

#include "analysis/train_report.h"
#include "app/command.h"
#include "engine/observer.h"

namespace moesim {

/// Shows, after two seconds and then each second, how long the run has taken and which of its micro-batches it has reached; wipes the line
/// at the end of its life. Pass it to the run as an observer; without one only the time is shown.
class Progress : public Observer {
 public:
  /// `terminal` may be null: then nothing is ever written.
  explicit Progress(std::ostream* terminal, std::chrono::milliseconds patience = std::chrono::seconds(2));
  ~Progress() override;
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// The first of `samples` is the one that is watched.
  void expect(std::int64_t micro_batches, std::int64_t samples) { micro_batches_ = micro_batches, samples_ = samples; }
  void on_segment(const SegmentSpan& s) override {
    if (s.tag.micro_batch > reached_.load(std::memory_order_relaxed)) reached_.store(s.tag.micro_batch, std::memory_order_relaxed);
  }

 private:
  void show(std::chrono::steady_clock::time_point begin);

  std::ostream* to_;
  std::atomic<std::int64_t> micro_batches_{0}, samples_{1}, reached_{-1};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false, shown_ = false;
  std::thread thread_;
};

/// train(), with its progress shown; `watch` may add observers of its own.
TrainReport simulate(const TrainScenario&, TrainOptions, const CommandContext&,
                     const std::function<void(const TrainStep&, std::vector<Observer*>&)>& watch = {});

}  // namespace moesim
