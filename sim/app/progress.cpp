#include "app/progress.h"

#include <string>

namespace moesim {

using Clock = std::chrono::steady_clock;

Progress::Progress(std::ostream* terminal, std::chrono::milliseconds patience) : to_(terminal) {
  if (!terminal) return;
  thread_ = std::thread([this, patience, begin = Clock::now()] {
    std::unique_lock lock(mutex_);
    for (auto wait = patience; !changed_.wait_for(lock, wait, [&] { return over_; }); wait = std::chrono::seconds(1)) show(begin);
  });
}

Progress::~Progress() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_one();
  thread_.join();
  if (shown_) *to_ << "\r\x1b[K" << std::flush;
}

void Progress::show(Clock::time_point begin) {
  const auto taken = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - begin).count();
  std::string text = "moesim: simulating, " + std::to_string(taken) + " s";
  if (const std::int64_t reached = reached_; reached >= 0) text += ", at micro-batch " + std::to_string(reached + 1) + " of " + std::to_string(micro_batches_) + (samples_ > 1 ? " of the first of " + std::to_string(samples_) + " samples" : "");
  *to_ << "\r\x1b[K" << text << std::flush;
  shown_ = true;
}

TrainReport simulate(const TrainScenario& scenario, TrainOptions options, const CommandContext& context,
                     const std::function<void(const TrainStep&, std::vector<Observer*>&)>& watch) {
  Progress progress(context.terminal);
  progress.expect(scenario.num_micro_batches, options.samples);
  options.watch = [&](const TrainStep& step, std::vector<Observer*>& observers) {
    if (context.terminal) observers.push_back(&progress);
    if (watch) watch(step, observers);
  };
  return train(scenario, options);
}

}  // namespace moesim
