#include "model/spec.h"

namespace moesim {

namespace {

std::string with(std::string_view base, std::string_view what, std::int64_t value) {
  return std::string(base) + "(" + std::string(what) + " " + std::to_string(value) + ")";
}

struct PartName {
  std::string operator()(const Gqa& a) const {
    return a.window == 0 ? "gqa" : with("gqa", a.chunked ? "chunk" : "window", a.window);
  }
  std::string operator()(const Mla& a) const { return a.index_heads == 0 ? "mla" : with("mla", "sparse", a.index_topk); }
  std::string operator()(const CompressedAttention& a) const {
    return a.compress_ratio == 0 ? with("cmqa", "window", a.window) : with("cmqa", "ratio", a.compress_ratio);
  }
  std::string operator()(const DeltaNet&) const { return "delta_net"; }
  std::string operator()(const Lightning&) const { return "lightning"; }
  std::string operator()(const Mamba&) const { return "mamba"; }
  std::string operator()(const Mamba2&) const { return "mamba2"; }
  std::string operator()(const DenseMlp&) const { return "dense"; }
  std::string operator()(const MoeMlp& u) const { return u.hash_routed ? "moe(hash)" : "moe"; }
};

}  // namespace

std::string part_name(const Part& part) { return std::visit(PartName{}, part); }

const MoeMlp* ModelSpec::moe(const LayerKind& kind) {
  for (const Part& part : kind.parts)
    if (const auto* unit = std::get_if<MoeMlp>(&part)) return unit;
  return nullptr;
}

const MoeMlp* ModelSpec::moe() const {
  for (std::uint16_t kind : layers)
    if (const MoeMlp* unit = moe(kinds[kind])) return unit;
  return nullptr;
}

}  // namespace moesim
