#include "unit/engine/reference.h"

#include <algorithm>
#include <deque>
#include <optional>

namespace moesim::test {
namespace {

std::string line(const char* what, std::initializer_list<std::int64_t> numbers) {
  std::string out = what;
  for (const std::int64_t n : numbers) out += ' ' + std::to_string(n);
  return out;
}

struct Record {
  std::optional<std::int64_t> set;
};

struct Entry {                                // in a launch queue
  Step step;
  std::uint32_t layer = 0;
  std::int64_t issued = 0;
  std::vector<std::int64_t> launched;         // of each kernel
  std::shared_ptr<Record> record;             // of a record or wait; a wait on nothing has none
  std::size_t places() const { return step.kind == StepKind::segment ? launched.size() : step.kind == StepKind::transfer ? 1 : 0; }
};

struct Stream {
  std::deque<Entry> queue;
  std::optional<Entry> current;               // segment, transfer or wait that holds it
  std::size_t kernel = 0;                     // next of the current segment
  bool at_work = false;                       // on the kernel before `kernel`
  std::int64_t whole = 0, rest = 0;           // of it: `rest` is left at the pace at which it takes `whole`
  std::int64_t free_since = 0;
  std::int64_t began = 0;                     // current: reached
  std::size_t places() const {
    std::size_t n = 0;
    for (const Entry& e : queue) n += e.places();
    return n;
  }
};

struct Host {
  std::vector<std::pair<Step, std::uint32_t>> program;
  std::size_t next = 0;
  std::int64_t busy_until = 0;
  std::optional<std::int64_t> waits_since;
  std::vector<std::shared_ptr<Record>> slots;
};

struct Meeting {
  std::vector<std::optional<std::int64_t>> joined;  // by member
  std::vector<std::uint32_t> layer;
  std::int64_t started = -1;
  std::uint32_t id = 0;
};

class Reference {
 public:
  Reference(const SmallWorkload& w, std::size_t depth) : w_(w), depth_(depth), hosts_(w.table.size()), streams_(w.table.size() * w.stream_count), meetings_(w.group_members.size()) {
    for (std::size_t a = 0; a < hosts_.size(); ++a) {
      hosts_[a].slots.resize(w.slot_count);
      for (std::uint32_t b = 0; b < w.table[a].blocks.size(); ++b)
        for (const Step& s : w.table[a].blocks[b]) hosts_[a].program.emplace_back(s, b);
    }
  }

  History run() {
    for (now_ = 0; now_ <= horizon_; ++now_) {
      while (anything_moves()) {}
      time_passes();
    }
    if (!finished()) history_.push_back("deadlock");
    std::sort(history_.begin(), history_.end());
    return history_;
  }

 private:
  bool anything_moves() {
    bool moved = false;
    for (std::uint32_t a = 0; a < hosts_.size(); ++a) {
      moved |= host_moves(a);
      for (std::uint32_t s = 0; s < w_.stream_count; ++s) moved |= stream_moves(a, s);
    }
    return moved;
  }

  bool host_moves(std::uint32_t a) {
    Host& h = hosts_[a];
    if (h.next == h.program.size() || h.busy_until > now_) return false;
    const auto& [step, layer] = h.program[h.next];
    if (step.kind == StepKind::host_wait) {
      const auto& record = h.slots[step.slot];
      if (record && !record->set) {
        if (!h.waits_since) h.waits_since = now_;
        return false;
      }
      if (h.waits_since && *h.waits_since < now_) history_.push_back(host_wait_line(a, *h.waits_since, now_));
      h.waits_since.reset();
      ++h.next;
      return true;
    }
    Stream& s = streams_[a * w_.stream_count + step.stream];
    Entry e{step, layer, now_, {}, nullptr};
    std::int64_t clock = now_;
    if (step.kind == StepKind::segment)
      for (const Kernel& k : w_.kernels[a][step.id]) e.launched.push_back(clock += k.host);
    if (e.places() > 0 && s.places() > 0 && s.places() + e.places() > depth_) return false;
    if (step.kind == StepKind::record) h.slots[step.slot] = std::make_shared<Record>();
    if (step.kind == StepKind::record || step.kind == StepKind::wait) e.record = h.slots[step.slot];
    s.queue.push_back(e);
    h.busy_until = clock;
    happens_at(clock);
    ++h.next;
    return true;
  }

  bool stream_moves(std::uint32_t a, std::uint32_t index) {
    Stream& s = streams_[a * w_.stream_count + index];
    if (s.at_work && s.rest > 0) return false;
    s.at_work = false;
    if (s.current) return current_moves(a, index, s);
    if (s.queue.empty()) return false;
    s.current = s.queue.front();
    s.queue.pop_front();
    s.began = now_;
    s.kernel = 0;
    if (s.current->step.kind == StepKind::transfer) join(a, *s.current);
    return true;
  }

  /// What the transfers that other streams of the actor are in take of it now.
  Beside beside(std::uint32_t a, std::uint32_t index) {
    Beside out;
    for (std::uint32_t o = 0; o < w_.stream_count; ++o) {
      const Stream& s = streams_[a * w_.stream_count + o];
      if (o == index || !s.current || s.current->step.kind != StepKind::transfer) continue;
      const Transfer& t = w_.transfers[s.current->step.id];
      const Meeting& m = meeting(a, *s.current);
      out += w_.held_by_id(s.current->step.id);
      if (m.started >= 0 && now_ >= m.started + t.latency.count()) out.memory += t.memory;
    }
    return out;
  }
  std::int64_t pace(std::uint32_t a, std::uint32_t index, const Kernel& k) { return device_beside(k, beside(a, index)); }

  /// A picosecond in which every kernel at work runs at the pace that it has now.
  void time_passes() {
    for (std::uint32_t i = 0; i < streams_.size(); ++i) {
      Stream& s = streams_[i];
      if (!s.at_work || s.rest == 0) continue;
      const std::uint32_t a = i / static_cast<std::uint32_t>(w_.stream_count), index = i % static_cast<std::uint32_t>(w_.stream_count);
      const std::int64_t whole = pace(a, index, w_.kernels[a][s.current->step.id][s.kernel - 1]);
      if (whole != s.whole) s.rest = (s.rest * whole + s.whole - 1) / s.whole;
      s.whole = whole;
      --s.rest;
      happens_at(now_ + 1);
    }
  }

  void finish(Stream& s) {
    s.current.reset();
    s.free_since = now_;
  }

  bool current_moves(std::uint32_t a, std::uint32_t index, Stream& s) {
    const Entry& e = *s.current;
    switch (e.step.kind) {
      case StepKind::segment:
        if (s.kernel == e.launched.size()) {
          history_.push_back(segment_line(a, index, e.layer, e.step.id, e.issued, s.free_since, now_));
          finish(s);
          return true;
        }
        if (e.launched[s.kernel] > now_) return false;
        s.whole = s.rest = pace(a, index, w_.kernels[a][e.step.id][s.kernel++]);
        s.at_work = true;
        happens_at(now_);
        return true;
      case StepKind::transfer: {
        Meeting& m = meeting(a, e);
        const std::size_t me = place(a, e);
        const Transfer& t = w_.transfers[e.step.id];
        if (m.started < 0 || now_ < m.started + (t.latency + t.member(me).done).count()) return false;
        history_.push_back(transfer_line(a, index, e.layer, e.step.id, *m.joined[me], m.started, now_));
        ++left_[e.step.slot * 64 + a];
        finish(s);
        return true;
      }
      case StepKind::record:
        e.record->set = now_;
        s.current.reset();
        return true;
      case StepKind::wait:
        if (e.record && !e.record->set) return false;
        if (now_ > s.began) history_.push_back(wait_line(a, index, e.layer, e.step.slot, s.began, now_));
        if (e.record) s.free_since = std::max(s.free_since, *e.record->set);
        s.current.reset();
        return true;
      case StepKind::mark:
        history_.push_back(mark_line(a, index, e.layer, e.step.id, now_));
        s.current.reset();
        return true;
      case StepKind::host_wait: break;
    }
    return false;
  }

  std::uint32_t group(std::uint32_t a, const Entry& e) const { return w_.table[a].groups[e.step.slot]; }
  std::size_t place(std::uint32_t a, const Entry& e) const {
    const auto& members = w_.group_members[group(a, e)];
    return static_cast<std::size_t>(std::find(members.begin(), members.end(), ActorId(a)) - members.begin());
  }
  /// The transfer that the actor takes part in now.
  Meeting& meeting(std::uint32_t a, const Entry& e) {
    auto& all = meetings_[group(a, e)];
    const std::size_t number = left_[e.step.slot * 64 + a];
    const std::size_t n = w_.group_members[group(a, e)].size();
    while (all.size() <= number) all.push_back({std::vector<std::optional<std::int64_t>>(n), std::vector<std::uint32_t>(n), -1, e.step.id});
    return all[number];
  }

  void join(std::uint32_t a, const Entry& e) {
    Meeting& m = meeting(a, e);
    m.joined[place(a, e)] = now_;
    m.layer[place(a, e)] = e.layer;
    if (!std::all_of(m.joined.begin(), m.joined.end(), [](const auto& j) { return j.has_value(); })) return;
    m.started = now_;
    const Transfer& t = w_.transfers[m.id];
    for (std::size_t i = 0; i < m.joined.size(); ++i) happens_at(now_ + (t.latency + t.member(i).done).count());
    const auto last = std::find(m.joined.begin(), m.joined.end(), now_) - m.joined.begin();
    history_.push_back(asked_line(group(a, e), m.id, m.layer[static_cast<std::size_t>(last)]));
  }

  void happens_at(std::int64_t t) { horizon_ = std::max(horizon_, t); }
  bool finished() const {
    return std::all_of(hosts_.begin(), hosts_.end(), [](const Host& h) { return h.next == h.program.size(); }) &&
           std::all_of(streams_.begin(), streams_.end(), [](const Stream& s) { return s.queue.empty() && !s.current; });
  }

  const SmallWorkload& w_;
  std::size_t depth_;
  std::int64_t now_ = 0, horizon_ = 0;                // nothing is known to happen after the horizon
  std::vector<Host> hosts_;
  std::vector<Stream> streams_;
  std::vector<std::vector<Meeting>> meetings_;        // by group
  std::map<std::size_t, std::size_t> left_;           // by group slot and actor: transfers done
  History history_;
};

}  // namespace

std::string segment_line(std::uint32_t actor, std::uint32_t stream, std::uint32_t layer, std::uint32_t id, std::int64_t issued, std::int64_t ready, std::int64_t end) {
  return line("segment", {actor, stream, layer, id, issued, ready, end});
}
std::string transfer_line(std::uint32_t actor, std::uint32_t stream, std::uint32_t layer, std::uint32_t id, std::int64_t joined, std::int64_t started, std::int64_t end) {
  return line("transfer", {actor, stream, layer, id, joined, started, end});
}
std::string wait_line(std::uint32_t actor, std::uint32_t stream, std::uint32_t layer, std::uint32_t slot, std::int64_t begin, std::int64_t end) {
  return line("wait", {actor, stream, layer, slot, begin, end});
}
std::string host_wait_line(std::uint32_t actor, std::int64_t begin, std::int64_t end) { return line("host_wait", {actor, begin, end}); }
std::string mark_line(std::uint32_t actor, std::uint32_t stream, std::uint32_t layer, std::uint32_t id, std::int64_t time) {
  return line("mark", {actor, stream, layer, id, time});
}
std::string asked_line(std::uint32_t group, std::uint32_t id, std::uint32_t layer) { return line("asked", {group, id, layer}); }

History reference_history(const SmallWorkload& w, std::size_t launch_queue) { return Reference(w, launch_queue).run(); }

}  // namespace moesim::test
