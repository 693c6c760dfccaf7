#include "report/chrome_trace.h"

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/json.h"
#include "base/unit_text.h"

namespace moesim {
namespace {

constexpr std::size_t kFew = 16;   // ranks that are all recorded unless the user chooses

std::string json_string(std::string_view s) { return Json(s).dump(); }

/// Microseconds with all picoseconds, as the format wants.
std::string micros(Time t) {
  std::string fraction = std::to_string(t.count() % 1'000'000);
  return std::to_string(t.count() / 1'000'000) + "." + std::string(6 - fraction.size(), '0') + fraction;
}

std::string at(ActorId a, std::uint8_t stream, Time t) {
  return "\"pid\":" + std::to_string(a.value()) + ",\"tid\":" + std::to_string(stream) + ",\"ts\":" + micros(t);
}

Time stretched(Time t, Time to, Time from) {
  return Time{static_cast<std::int64_t>(static_cast<double>(t.count()) * (static_cast<double>(to.count()) / static_cast<double>(from.count())))};
}

}  // namespace

ChromeTrace::ChromeTrace(const TrainStep& step, const TraceLimits& limits)
    : step_(step), limit_(std::max<std::size_t>(limits.events, 2)), end_(Time::max()), actors_(step.actors().size()) {
  choose(limits.ranks);
  for (std::uint32_t a = 0; a < actors_.size(); ++a) {
    if (!actors_[a].recorded) continue;
    ++recorded_;
    describe(ActorId(a));
  }
}

void ChromeTrace::choose(const std::vector<std::int64_t>& ranks) {
  const std::vector<ActorInfo>& all = step_.actors();
  const bool every_rank = std::all_of(all.begin(), all.end(), [](const ActorInfo& i) { return i.multiplicity == 1; });
  std::set<std::int64_t> wanted(ranks.begin(), ranks.end()), stages;
  for (std::size_t a = 0; a < all.size(); ++a)
    actors_[a].recorded = !ranks.empty() ? wanted.erase(all[a].rank.value()) > 0
                                         : !every_rank || all.size() <= kFew || stages.insert(all[a].stage).second;
  if (wanted.empty()) return;
  throw InputError("trace: found rank " + std::to_string(*wanted.begin()) + ", allowed are " +
                   (every_rank ? "0 to " + std::to_string(all.size() - 1) : "the ranks that stand for a class (or all with --detail ranks)"));
}

void ChromeTrace::describe(ActorId a) {
  const ActorInfo& info = step_.actors()[a.index()];
  const std::string pid = std::to_string(a.value());
  const std::string who = "rank " + std::to_string(info.rank.value()) + ", stage " + std::to_string(info.stage) +
                          (info.multiplicity > 1 ? ", stands for " + counted(info.multiplicity, "rank") : "") +
                          (info.hottest ? ", most loaded" : "");
  head_ += "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":" + pid + ",\"args\":{\"name\":" + json_string(who) + "}},\n";
  for (std::size_t s = 0; s < kStepStreams; ++s)
    head_ += "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":" + pid + ",\"tid\":" + std::to_string(s) + ",\"args\":{\"name\":" +
             json_string(name(static_cast<StepStream>(s))) + "}},\n";
}

void ChromeTrace::event(Time at, std::string_view text) {
  if (at >= end_) return;
  if (events_.size() == limit_) cut();
  if (at >= end_) return;
  events_.push_back({at, text_.size(), text.size()});
  text_ += text;
}

/// Keeps the earlier half of what there is: streams run ahead of each other, so the last events to come need not be the latest.
void ChromeTrace::cut() {
  std::vector<Time> times;
  for (const Event& e : events_) times.push_back(e.at);
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  end_ = *middle;
  std::vector<Event> kept;
  std::string text;
  for (const Event& e : events_)
    if (e.at < end_) {
      kept.push_back({e.at, text.size(), e.length});
      text.append(text_, e.begin, e.length);
    }
  events_ = std::move(kept);
  text_ = std::move(text);
}

void ChromeTrace::slice(ActorId a, std::uint8_t stream, std::string_view what, std::string_view category, Time begin, Time end, BlockTag tag) {
  if (end <= begin || begin >= end_) return;
  event(begin, "{\"ph\":\"X\",\"name\":" + json_string(what) + ",\"cat\":" + json_string(category) + "," + at(a, stream, begin) + ",\"dur\":" + micros(end - begin) +
                   ",\"args\":{\"layer\":" + std::to_string(tag.layer) + ",\"micro_batch\":" + std::to_string(tag.micro_batch) + "}}");
}

/// Kernel by kernel: each starts when the one before it has ended and the host has launched it.
void ChromeTrace::on_segment(const SegmentSpan& s) {
  const Time busy = s.segment.device + s.stolen + s.shared;
  if (!actors_[s.actor.index()].recorded || s.end - busy >= end_) return;
  const SegmentInfo info = step_.segment_info(s.actor, s.id, s.tag);
  Time end = s.end;
  std::vector<std::pair<Time, Time>> when(info.items.size());
  Time alone{0};
  for (std::size_t i = info.items.size(); i-- > 0;) {   // packed against the end, which is exact; what transfers took falls on all alike
    alone += info.items[i].device;
    when[i] = {s.end - (busy == s.segment.device ? alone : stretched(alone, busy, s.segment.device)), end};
    end = when[i].first;
  }
  for (std::size_t i = 0; i < info.items.size(); ++i)
    slice(s.actor, s.stream, info.items[i].op.label, name(info.items[i].op.kind), when[i].first, when[i].second, s.tag);
}

void ChromeTrace::on_transfer(const TransferSpan& t) {
  Actor& actor = actors_[t.actor.index()];
  if (!actor.recorded || t.joined >= end_) return;
  const std::string what(step_.transfer_label(t.id));
  slice(t.actor, t.stream, "wait: " + what, "wait", t.joined, t.started, t.tag);
  slice(t.actor, t.stream, what, name(step_.transfer_kind(t.id)), t.started, t.end, t.tag);
  const TransferKind kind = step_.transfer_kind(t.id);
  if (kind == TransferKind::ep_dispatch && t.end > t.started) {
    actor.dispatched = at(t.actor, t.stream, t.started);   // the last before the combine carries the tokens, those before it their counts
  } else if (kind == TransferKind::ep_combine && t.end > t.started && !actor.dispatched.empty()) {
    const std::string flow = "\"name\":\"tokens\",\"cat\":\"moe\",\"id\":" + std::to_string(++flows_) + ",";
    // Both ends are one event, so that none is cut off alone.
    event(t.started, "{\"ph\":\"s\"," + flow + actor.dispatched + "},\n{\"ph\":\"f\",\"bp\":\"e\"," + flow + at(t.actor, t.stream, t.started) + "}");
    actor.dispatched.clear();
  }
}

void ChromeTrace::on_mark(ActorId a, std::uint8_t, std::uint32_t id, BlockTag tag, Time when) {
  Actor& actor = actors_[a.index()];
  if (!actor.recorded || when >= end_) return;
  const std::int64_t delta = step_.memory_delta(a, id, tag).count();
  actor.memory += delta;
  actor.in_flight += delta >= 0 ? 1 : -1;
  const std::string place = ",\"pid\":" + std::to_string(a.value()) + ",\"ts\":" + micros(when) + ",\"args\":";
  event(when, "{\"ph\":\"C\",\"name\":\"activations\"" + place + "{\"bytes\":" + std::to_string(actor.memory) + "}}");
  event(when, "{\"ph\":\"C\",\"name\":\"layers in flight\"" + place + "{\"layers\":" + std::to_string(actor.in_flight) + "}}");
}

std::string ChromeTrace::text() const {
  std::string out = std::string("{\"displayTimeUnit\":\"ms\",\"otherData\":{\"complete\":") + (end_ == Time::max() ? "true" : "false") + "},\"traceEvents\":[\n" + head_;
  out.reserve(out.size() + text_.size() + 2 * events_.size());
  for (std::size_t i = 0; i < events_.size(); ++i) {
    if (i > 0) out += ",\n";
    out.append(text_, events_[i].begin, events_[i].length);
  }
  if (events_.empty() && !head_.empty()) out.erase(out.size() - 2);   // the comma after the last name
  return out + "\n]}\n";
}

std::string ChromeTrace::left_out(Time step) const {
  std::string out;
  if (recorded_ < static_cast<std::int64_t>(actors_.size())) out = std::to_string(recorded_) + " of " + std::to_string(actors_.size()) + " ranks";
  if (end_ < step) out += (out.empty() ? "" : ", ") + std::string("the first ") + to_text(end_) + " of " + to_text(step);
  return out;
}

}  // namespace moesim
