#include "block/lowering_rules.h"

#include "base/error.h"
#include "block/parts.h"

namespace moesim {

namespace {

void check_context_parallelism(const LayerSettings& s) {
  if (s.parallel.cp != 1)
    throw InputError("cp: found " + std::to_string(s.parallel.cp) + ", allowed is 1: context parallelism is not modelled yet");
}

bool modelled(const Part& part) {
  return std::visit([](const auto& p) { return kLowered<std::decay_t<decltype(p)>>; }, part);
}

}  // namespace

std::string not_modelled(const Part& part) {
  return "the training time of " + part_name(part) + " is not modelled yet; its parameters and memory are";
}

void check_lowering(const LayerSettings& s, const LayerKind& kind) {
  check_context_parallelism(s);
  for (const Part& part : kind.parts)
    if (!modelled(part)) throw InputError("layer " + kind.name + ": " + not_modelled(part));
}

void check_lowering(const LayerSettings& s) {
  check_context_parallelism(s);
  for (std::uint16_t kind : s.model->layers) check_lowering(s, s.model->kinds[kind]);
  if (s.model->mtp_layers) check_lowering(s, s.model->mtp_kind());
}

}  // namespace moesim
