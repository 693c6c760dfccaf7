#include "validation/nccl_tests_log.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <locale>
#include <sstream>

#include "base/error.h"

namespace moesim {
namespace {

constexpr std::size_t kFirst = 3;      // size, count, type
constexpr std::size_t kMostBetween = 2;   // redop, root
constexpr std::int64_t kMostBytes = std::int64_t{1} << 50;   // what collective() takes
constexpr double kLongest = 1e12;      // microseconds: 11 days for one collective

std::vector<std::string_view> words(std::string_view line) {
  constexpr std::string_view blank = " \t\r";
  std::vector<std::string_view> out;
  for (std::size_t at = line.find_first_not_of(blank); at != std::string_view::npos; at = line.find_first_not_of(blank, at)) {
    const std::size_t end = std::min(line.find_first_of(blank, at), line.size());
    out.push_back(line.substr(at, end - at));
    at = end;
  }
  return out;
}

bool all_digits(std::string_view s) { return !s.empty() && s.find_first_not_of("0123456789") == std::string_view::npos; }

/// Without what mpirun ("[1,0]<stdout>:") and srun -l ("12: ") put before a line.
std::string_view without_launcher(std::string_view line) {
  if (line.starts_with('[')) {
    if (const std::size_t end = line.find("]<stdout>:"); end != std::string_view::npos) return line.substr(end + 10);
  } else if (const std::size_t colon = line.find(':'); colon != std::string_view::npos) {
    const std::vector<std::string_view> before = words(line.substr(0, colon));
    if (before.size() == 1 && all_digits(before[0])) return line.substr(colon + 1);
  }
  return line;
}

std::optional<std::int64_t> whole(std::string_view s) {
  std::int64_t out = 0;
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), out);
  if (error != std::errc{} || end != s.data() + s.size()) return std::nullopt;
  return out;
}

std::optional<double> number(std::string_view s) {
  if (s.size() > 40 || s.find_first_not_of("0123456789.eE+-") != std::string_view::npos) return std::nullopt;
  std::istringstream in{std::string(s)};
  in.imbue(std::locale::classic());
  double out = 0;
  if (!(in >> out) || in.peek() != std::istringstream::traits_type::eof() || !std::isfinite(out)) return std::nullopt;
  return out;
}

class Parser {
 public:
  explicit Parser(const std::string& file) : file_(file) {}

  void line(std::string_view text) {
    ++line_;
    const std::string_view bare = without_launcher(text);
    std::vector<std::string_view> w = words(bare);
    if (w.empty()) return;
    if (w[0].starts_with('#')) return remark(w);
    if (all_digits(w[0])) row(w);   // anything else is what some library prints
  }

  NcclTestsLog done() {
    if (groups_ == 0) throw InputError(file_ + ": found no header of nccl-tests, allowed is what one of its programs prints (\"# size count type ... time algbw busbw\")");
    if (out_.rows.empty()) throw InputError(file_ + ": found no row of nccl-tests below its header");
    return std::move(out_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw InputError(file_ + ":" + std::to_string(line_) + ": " + what); }

  void remark(std::vector<std::string_view> w) {
    w[0].remove_prefix(1);
    if (w[0].empty()) w.erase(w.begin());
    if (w.empty()) return;
    if (std::find(w.begin(), w.end(), "size") != w.end() && std::find(w.begin(), w.end(), "time") != w.end()) return header(w);
    if (w[0] == "Rank" && w.size() > 1) {
      if (const auto rank = whole(w[1]); rank && *rank >= 0 && *rank < (1 << 20)) {
        out_.gpus = std::max(out_.gpus, *rank + 1);
        if (const auto on = std::find(w.begin(), w.end(), "on"); on != w.end() && on + 1 != w.end()) ++out_.ranks_on[printable(*(on + 1))];
      }
    } else if (w.size() > 3 && w[0] == "Collective" && w[1] == "test" && w[2] == "starting:") {
      if (!out_.test.empty() && out_.test != w[3]) fail("found a log of " + shortened(w[3]) + " after one of " + shortened(out_.test) + ", allowed is one test a file");
      out_.test = w[3];
    } else if (w.size() > 4 && w[0] == "Avg" && w[1] == "bus" && w[2] == "bandwidth") {
      out_.average_busbw = number(w[4]);
    }
  }

  void header(const std::vector<std::string_view>& w) {
    const auto groups = static_cast<std::size_t>(std::count(w.begin(), w.end(), "time"));
    const auto tail = static_cast<std::size_t>(w.end() - std::find(w.begin(), w.end(), "time"));
    if (!out_.rows.empty()) fail("found a second header of nccl-tests, allowed is one test a file");
    if (w[0] != "size" || groups > 2 || tail % groups != 0 || tail / groups < 3) fail("found another header than those of nccl-tests");
    checks_ = std::find(w.begin(), w.end(), "#wrong") != w.end();   // older releases print the largest deviation there
    groups_ = groups;
    group_ = tail / groups;
  }

  void row(const std::vector<std::string_view>& w) {
    if (groups_ == 0) fail("found a row before the header of nccl-tests");
    const std::size_t tail = groups_ * group_;
    if (w.size() < kFirst + tail || w.size() > kFirst + kMostBetween + tail)
      fail("found " + std::to_string(w.size()) + " cells, allowed is " + std::to_string(kFirst + tail) + " to " + std::to_string(kFirst + kMostBetween + tail));
    NcclTestsRow r;
    const auto size = whole(w[0]), count = whole(w[1]);
    if (!size || *size > kMostBytes) fail("size: found \"" + shortened(w[0]) + "\", allowed is a number of bytes up to 2^50");
    if (!count || *count < 0) fail("count: found \"" + shortened(w[1]) + "\", allowed is a number of elements");
    r.bytes = *size, r.count = *count, r.type = printable(w[2]);
    const std::size_t first = w.size() - tail;
    if (r.bytes == 0) return;
    if (first > kFirst && !whole(w[kFirst])) r.redop = printable(w[kFirst]);
    r.out_of_place_us = time(w[first]);
    r.algbw = number(w[first + 1]).value_or(0), r.busbw = number(w[first + 2]).value_or(0);
    for (std::size_t at = first; at + 3 < w.size() && group_ > 3 && checks_; at += group_) r.wrong = r.wrong || number(w[at + 3]).value_or(0) > 0;
    if (groups_ == 2 && w[first + group_] != "N/A") r.in_place_us = time(w[first + group_]);
    out_.rows.push_back(std::move(r));
  }

  double time(std::string_view cell) const {
    const auto us = number(cell);
    if (!us || *us <= 0 || *us > kLongest) fail("time: found \"" + shortened(cell) + "\", allowed is a number of microseconds above 0");
    return *us;
  }

  const std::string& file_;
  std::size_t line_ = 0, groups_ = 0, group_ = 0;   // groups of times, and cells of each
  bool checks_ = false;
  NcclTestsLog out_;
};

}  // namespace

NcclTestsLog parse_nccl_tests(std::string_view text, const std::string& file) {
  Parser parser(file);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    parser.line(text.substr(at, end - at));
    at = end + 1;
  }
  return parser.done();
}

}  // namespace moesim
