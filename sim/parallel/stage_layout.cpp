#include "parallel/stage_layout.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace moesim {
namespace {

constexpr std::size_t kMaxParts = 1u << 16;   // after repeats: far past any model, small enough to expand
constexpr int kMaxDepth = 16;

/// Recursive descent over `item := part | "(" items ")"`, each with an optional "*number"; expands to the plain string of parts.
class LayoutParser {
 public:
  explicit LayoutParser(std::string_view text) : text_(text) {}

  std::string expand() {
    std::string out = items(0);
    if (at_ < text_.size()) fail("unmatched \")\"");
    return out;
  }

  [[noreturn]] void fail(const std::string& why) const {
    const std::string shown = text_.size() > 80 ? std::string(text_.substr(0, 77)) + "..." : std::string(text_);
    throw InputError("pipeline layout \"" + shown + "\": " + why);
  }

 private:
  std::string items(int depth) {
    if (depth > kMaxDepth) fail("parentheses are nested more than " + std::to_string(kMaxDepth) + " deep");
    std::string out;
    while (at_ < text_.size() && text_[at_] != ')') {
      if (text_[at_] == ',') {
        ++at_;
        continue;
      }
      const std::string piece = item(depth);
      const std::int64_t times = repeat();
      if (out.size() + piece.size() * static_cast<std::size_t>(times) > kMaxParts)
        fail("more than " + std::to_string(kMaxParts) + " parts");
      for (std::int64_t i = 0; i < times; ++i) out += piece;
    }
    return out;
  }

  std::string item(int depth) {
    const char c = text_[at_++];
    if (c == '(') {
      std::string inner = items(depth + 1);
      if (at_ == text_.size()) fail("unmatched \"(\"");
      ++at_;
      return inner;
    }
    if (std::string_view("EtmL|").find(c) == std::string_view::npos)
      fail(std::string("found \"") + c + "\", allowed are E (embedding), t (layer), m (MTP), L (loss), |, (, ), * and commas");
    return std::string(1, c);
  }

  std::int64_t repeat() {
    if (at_ == text_.size() || text_[at_] != '*') return 1;
    ++at_;
    std::int64_t n = 0;
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') {
      n = std::min<std::int64_t>(n * 10 + (text_[at_] - '0'), kMaxParts + 1);
      ++at_;
    }
    if (at_ == begin) fail("\"*\" needs a number after it");
    if (n == 0) fail("a part cannot be repeated 0 times");
    return n;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

std::vector<StageChunk> chunks_of(const std::string& parts, const LayoutParser& parser) {
  constexpr std::string_view kOrder = "EtmL";
  std::vector<StageChunk> chunks(1);
  std::int64_t layer = 0;
  std::size_t last = 0;
  for (const char c : parts) {
    if (c == '|') {
      chunks.push_back({.first_layer = layer});
      continue;
    }
    const std::size_t now = kOrder.find(c);
    if (now < last) parser.fail(std::string("\"") + c + "\" comes after \"" + kOrder[last] + "\", the order is E, t, m, L");
    last = now;
    StageChunk& chunk = chunks.back();
    if ((c == 'E' && chunk.embedding) || (c == 'L' && chunk.loss)) parser.fail(std::string("\"") + c + "\" stands there twice");
    if (c == 'E') chunk.embedding = true;
    if (c == 'L') chunk.loss = true;
    if (c == 'm') ++chunk.mtp_layers;
    if (c == 't') ++chunk.num_layers, ++layer;
  }
  return chunks;
}

void check_ends(const std::vector<StageChunk>& chunks, const LayoutParser& parser) {
  for (std::size_t i = 1; i < chunks.size(); ++i)
    if (chunks[i].embedding) parser.fail("the embedding \"E\" must be in the first chunk, and only there");
  for (std::size_t i = 0; i + 1 < chunks.size(); ++i)
    if (chunks[i].loss) parser.fail("the loss \"L\" must be in the last chunk, and only there");
  if (!chunks.front().embedding) parser.fail("the embedding \"E\" is missing in the first chunk");
  if (!chunks.back().loss) parser.fail("the loss \"L\" is missing in the last chunk");
}

std::string product(std::int64_t pp, std::int64_t vpp) {
  return "pp * vpp = " + std::to_string(pp) + " * " + std::to_string(vpp) + " = " + std::to_string(pp * vpp);
}

std::string repeated(char c, std::int64_t n) {
  if (n <= 2) return std::string(static_cast<std::size_t>(n), c);
  std::string out(1, c);
  out += '*';
  out += std::to_string(n);
  return out;
}

std::string text_of(const StageChunk& chunk) {
  std::string out = chunk.embedding ? "E" : "";
  out += repeated('t', chunk.num_layers);
  out += repeated('m', chunk.mtp_layers);
  if (chunk.loss) out += 'L';
  return out;
}

/// One layer for every chunk, then each further layer to the lightest chunk; ties go to late inner chunks, since early stages hold
/// more micro-batches in flight, then to the first, then to the last.
std::vector<std::int64_t> uneven_counts(std::int64_t num_layers, std::int64_t mtp_layers, std::size_t n) {
  std::vector<std::int64_t> layers(n, 1), weight(n, 1);
  weight.front() += 1;
  weight.back() += 1 + mtp_layers;
  std::vector<std::size_t> preference;
  for (std::size_t i = n - 1; i-- > 1;) preference.push_back(i);
  preference.push_back(0);
  preference.push_back(n - 1);
  for (std::int64_t left = num_layers - static_cast<std::int64_t>(n); left > 0; --left) {
    const std::size_t lightest =
        *std::min_element(preference.begin(), preference.end(), [&](std::size_t a, std::size_t b) { return weight[a] < weight[b]; });
    ++layers[lightest];
    ++weight[lightest];
  }
  return layers;
}

}  // namespace

StageLayout::StageLayout(std::int64_t pp, std::int64_t vpp, std::vector<StageChunk> chunks)
    : pp_(pp), vpp_(vpp), chunks_(std::move(chunks)) {
  for (const StageChunk& c : chunks_) even_ = even_ && c.num_layers == chunks_.front().num_layers;
}

StageLayout StageLayout::balanced(std::int64_t num_layers, std::int64_t mtp_layers, std::int64_t pp, std::int64_t vpp) {
  if (pp < 1 || vpp < 1 || pp * vpp > num_layers)
    throw InputError("the model's " + std::to_string(num_layers) + " layers do not give every chunk a layer: " + product(pp, vpp));
  const std::size_t n = static_cast<std::size_t>(pp * vpp);
  const bool divides = num_layers % (pp * vpp) == 0;
  const std::vector<std::int64_t> layers =
      divides ? std::vector<std::int64_t>(n, num_layers / (pp * vpp)) : uneven_counts(num_layers, mtp_layers, n);
  std::vector<StageChunk> chunks(n);
  std::int64_t first = 0;
  for (std::size_t i = 0; i < n; ++i) {
    chunks[i].first_layer = first;
    chunks[i].num_layers = layers[i];
    first += layers[i];
  }
  chunks.front().embedding = true;
  chunks.back().loss = true;
  chunks.back().mtp_layers = mtp_layers;
  return StageLayout(pp, vpp, std::move(chunks));
}

StageLayout StageLayout::parse(std::string_view text, std::int64_t num_layers, std::int64_t mtp_layers, std::int64_t pp,
                               std::int64_t vpp) {
  LayoutParser parser(text);
  std::vector<StageChunk> chunks = chunks_of(parser.expand(), parser);
  check_ends(chunks, parser);
  std::int64_t layers = 0, mtp = 0;
  for (const StageChunk& c : chunks) layers += c.num_layers, mtp += c.mtp_layers;
  if (static_cast<std::int64_t>(chunks.size()) != pp * vpp)
    parser.fail("it has " + std::to_string(chunks.size()) + " chunks, needed are " + product(pp, vpp));
  if (layers != num_layers) parser.fail("it has " + std::to_string(layers) + " layers (t), the model has " + std::to_string(num_layers));
  if (mtp != mtp_layers) parser.fail("it has " + std::to_string(mtp) + " MTP blocks (m), the model has " + std::to_string(mtp_layers));
  return StageLayout(pp, vpp, std::move(chunks));
}

std::int64_t StageLayout::count_chunks(std::string_view text) {
  const std::string parts = LayoutParser(text).expand();
  return 1 + std::count(parts.begin(), parts.end(), '|');
}

std::string StageLayout::text() const {
  std::string out;
  for (std::size_t i = 0; i < chunks_.size();) {
    const std::string piece = text_of(chunks_[i]);
    std::size_t run = 1;
    while (i + run + 1 < chunks_.size() && text_of(chunks_[i + run]) == piece) ++run;
    const bool last = i + 1 == chunks_.size();
    if (last) {
      out += piece;
    } else if (run == 1) {
      out += piece + "|";
    } else {
      out += "(" + piece + "|)*" + std::to_string(run) + ",";
    }
    i += run;
  }
  return out;
}

}  // namespace moesim
