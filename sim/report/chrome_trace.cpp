#include "report/chrome_trace.h"

#include "base/json.h"

namespace moesim {
namespace {

std::string json_string(std::string_view s) { return Json(s).dump(); }

/// Microseconds with all picoseconds, as the format wants.
std::string micros(Time t) {
  std::string fraction = std::to_string(t.count() % 1'000'000);
  return std::to_string(t.count() / 1'000'000) + "." + std::string(6 - fraction.size(), '0') + fraction;
}

std::string at(ActorId a, std::uint8_t stream, Time t) {
  return "\"pid\":" + std::to_string(a.value()) + ",\"tid\":" + std::to_string(stream) + ",\"ts\":" + micros(t);
}

}  // namespace

ChromeTrace::ChromeTrace(const TrainStep& step, std::size_t max_events) : step_(step), max_events_(max_events), actors_(step.actors().size()) {
  for (std::uint32_t a = 0; a < actors_.size(); ++a) {
    const ActorInfo& info = step.actors()[a];
    const std::string who = "rank " + std::to_string(info.rank.value()) + ", stage " + std::to_string(info.stage) +
                            (info.multiplicity > 1 ? ", stands for " + std::to_string(info.multiplicity) + " ranks" : "") +
                            (info.hottest ? ", most loaded" : "");
    event("{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":" + std::to_string(a) + ",\"args\":{\"name\":" + json_string(who) + "}}");
    for (std::size_t s = 0; s < kStepStreams; ++s)
      event("{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":" + std::to_string(a) + ",\"tid\":" + std::to_string(s) + ",\"args\":{\"name\":" +
            json_string(name(static_cast<StepStream>(s))) + "}}");
  }
}

void ChromeTrace::event(std::string_view text) {
  if (events_ >= max_events_) return;
  ++events_;
  if (!out_.empty()) out_ += ",\n";
  out_ += text;
}

void ChromeTrace::slice(ActorId a, std::uint8_t stream, std::string_view what, std::string_view category, Time begin, Time end, BlockTag tag) {
  if (end <= begin) return;
  event("{\"ph\":\"X\",\"name\":" + json_string(what) + ",\"cat\":" + json_string(category) + "," + at(a, stream, begin) + ",\"dur\":" + micros(end - begin) +
        ",\"args\":{\"layer\":" + std::to_string(tag.layer) + ",\"micro_batch\":" + std::to_string(tag.micro_batch) + "}}");
}

/// Kernel by kernel: each starts when the one before it has ended and the host has launched it.
void ChromeTrace::on_segment(const SegmentSpan& s) {
  if (events_ >= max_events_) return;
  const SegmentInfo info = step_.segment_info(s.actor, s.id, s.tag);
  Time end = s.end;
  std::vector<std::pair<Time, Time>> when(info.items.size());
  for (std::size_t i = info.items.size(); i-- > 0;) {   // packed against the end, which is exact
    when[i] = {end - info.items[i].device, end};
    end = when[i].first;
  }
  for (std::size_t i = 0; i < info.items.size(); ++i)
    slice(s.actor, s.stream, info.items[i].op.label, name(info.items[i].op.kind), when[i].first, when[i].second, s.tag);
}

void ChromeTrace::on_transfer(const TransferSpan& t) {
  const std::string what(step_.transfer_label(t.id));
  slice(t.actor, t.stream, "wait: " + what, "wait", t.joined, t.started, t.tag);
  slice(t.actor, t.stream, what, name(step_.transfer_kind(t.id)), t.started, t.end, t.tag);
  Actor& actor = actors_[t.actor.index()];
  const TransferKind kind = step_.transfer_kind(t.id);
  if (kind == TransferKind::ep_dispatch && t.end > t.started) {
    actor.dispatched = at(t.actor, t.stream, t.started);   // the last before the combine carries the tokens, those before it their counts
  } else if (kind == TransferKind::ep_combine && t.end > t.started && !actor.dispatched.empty()) {
    const std::string flow = "\"name\":\"tokens\",\"cat\":\"moe\",\"id\":" + std::to_string(++flows_) + ",";
    event("{\"ph\":\"s\"," + flow + actor.dispatched + "}");
    event("{\"ph\":\"f\",\"bp\":\"e\"," + flow + at(t.actor, t.stream, t.started) + "}");
    actor.dispatched.clear();
  }
}

void ChromeTrace::on_mark(ActorId a, std::uint8_t, std::uint32_t id, BlockTag tag, Time when) {
  const std::int64_t delta = step_.memory_delta(a, id, tag).count();
  Actor& actor = actors_[a.index()];
  actor.memory += delta;
  actor.in_flight += delta >= 0 ? 1 : -1;
  event("{\"ph\":\"C\",\"name\":\"activations\",\"pid\":" + std::to_string(a.value()) + ",\"ts\":" + micros(when) + ",\"args\":{\"bytes\":" +
        std::to_string(actor.memory) + "}}");
  event("{\"ph\":\"C\",\"name\":\"layers in flight\",\"pid\":" + std::to_string(a.value()) + ",\"ts\":" + micros(when) + ",\"args\":{\"layers\":" +
        std::to_string(actor.in_flight) + "}}");
}

std::string ChromeTrace::text() const {
  const std::string complete = events_ >= max_events_ ? "false" : "true";
  return "{\"displayTimeUnit\":\"ms\",\"otherData\":{\"complete\":" + complete + "},\"traceEvents\":[\n" + out_ + "\n]}\n";
}

}  // namespace moesim
