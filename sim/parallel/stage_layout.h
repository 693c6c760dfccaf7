// Which layers each pipeline stage and chunk holds. Chunk c of stage r is model part c * pp + r, as in Megatron's interleaving.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace moesim {

struct StageChunk {
  std::int64_t first_layer = 0;
  std::int64_t num_layers = 0;
  bool embedding = false;         // input embedding
  std::int64_t mtp_layers = 0;    // multi-token prediction blocks
  bool loss = false;              // final norm, logits, cross-entropy
  bool operator==(const StageChunk&) const = default;
};

class StageLayout {
 public:
  StageLayout() = default;        // no chunks: a place to assign to

  /// Layers divided evenly over pp * vpp chunks. If they do not divide, embedding and loss count as one layer each and an MTP block as
  /// one more (Megatron's account-for-embedding and -loss), so the end chunks hold fewer layers; what then is left over goes to
  /// late inner chunks. even() is false in that case, so that a report can say so. Throws InputError if there are fewer layers than chunks.
  static StageLayout balanced(std::int64_t num_layers, std::int64_t mtp_layers, std::int64_t pp, std::int64_t vpp);

  /// Megatron's pipeline layout string: E embedding, t layer, m MTP, L loss, "|" between chunks, "(..)*3" and "t*3" repeat, commas
  /// are ignored: "Et*3|(tt|)*29,m|L". A chunk may be empty. Throws InputError (counts that do not add up to the model; not
  /// pp * vpp chunks; parts out of order).
  static StageLayout parse(std::string_view text, std::int64_t num_layers, std::int64_t mtp_layers, std::int64_t pp,
                           std::int64_t vpp);

  /// Number of chunks of a layout string, from which Megatron derives vpp = chunks / pp. Throws InputError if it is malformed.
  static std::int64_t count_chunks(std::string_view text);

  std::int64_t pp() const { return pp_; }
  std::int64_t vpp() const { return vpp_; }
  const StageChunk& chunk(std::int64_t stage, std::int64_t chunk) const { return chunks_[static_cast<std::size_t>(chunk * pp_ + stage)]; }
  /// Every chunk holds the same number of layers.
  bool even() const { return even_; }
  /// The same layout as a Megatron layout string.
  std::string text() const;
  bool operator==(const StageLayout&) const = default;

 private:
  StageLayout(std::int64_t pp, std::int64_t vpp, std::vector<StageChunk> chunks);

  std::int64_t pp_ = 1, vpp_ = 1;
  bool even_ = true;
  std::vector<StageChunk> chunks_;   // in model order
};

}  // namespace moesim
