#include <algorithm>

#include "collective/dispatcher.h"
#include "train/scenario/parts.h"

namespace moesim {
namespace {

template <class Interface>
std::string read_entry(Section& in, std::string_view key, const Registry<Interface>& registry, std::string_view fallback) {
  std::string word = in.text_or(key, fallback);
  const std::vector<std::string> names = registry.names();
  if (std::find(names.begin(), names.end(), word) != names.end()) return word;
  try {
    registry.make(word);
  } catch (const InputError& e) { in.fail(key, e.what()); }
  return word;
}

void read_dispatcher(Section& in, TrainScenario& s) {
  s.moe.dispatcher = read_entry(in, "dispatcher", dispatchers(), "alltoall");
  const std::unique_ptr<Dispatcher> d = dispatchers().make(s.moe.dispatcher);
  if (const std::string reason = d->refusal(s.parallel.ep * s.parallel.etp, s.hardware); !reason.empty()) in.fail("dispatcher", "found " + s.moe.dispatcher + ": " + reason);
  s.moe.dispatcher_sms = in.find_integer("dispatcher_sms", {1, std::max<std::int64_t>(1, s.hardware.gpu.sms.value - 1)});
  if (s.moe.dispatcher_sms && !d->with_sms(*s.moe.dispatcher_sms))
    in.fail("dispatcher_sms", "found " + std::to_string(*s.moe.dispatcher_sms) + ", but " + s.moe.dispatcher + " does not let users choose; deepep and hybridep do");
}

/// As Megatron: what a graph holds keeps its shapes, and preprocessing is graphed with the router.
void check_graphs(const Section& root, const Stack& stack, const CapacityRule& capacity) {
  if (stack.cuda_graph_moe && !capacity.pad)
    root.fail("stack.cuda_graph_moe", "found true, allowed is false without moe.capacity_factor and moe.pad_to_capacity: how many tokens an expert gets would change");
  if (stack.cuda_graph_moe_preprocess && !stack.cuda_graph_moe_router)
    root.fail("stack.cuda_graph_moe_preprocess", "found true, allowed is false without stack.cuda_graph_moe_router");
}

}  // namespace

void read_moe(Section& root, TrainScenario& s) {
  Section in = root.open("moe");
  if (!s.model.moe()) {
    root.only_with("moe", kNeedsExperts, s.model.name);
    root.close("moe", std::move(in));
    return;
  }
  Section load = in.open("load");
  s.moe.load_law = read_entry(load, "law", load_laws(), "multinomial");
  if (s.moe.load_law == "zipf") s.moe.load.exponent = load.number_or("exponent", {0, 10}, 1);
  else load.only_with("exponent", "law zipf", s.moe.load_law);
  in.close("load", std::move(load));

  read_dispatcher(in, s);
  s.moe.capacity.factor = in.find_number("capacity_factor", {0.01, 1e6});
  if (s.moe.capacity.factor)
    s.moe.capacity.pad = in.flag_or("pad_to_capacity", false);
  else if (in.reader().find_flag("pad_to_capacity").value_or(false))
    in.fail("pad_to_capacity", "found true, but there is no capacity_factor to pad to");
  root.close("moe", std::move(in));
  check_graphs(root, s.stack, s.moe.capacity);
}

}  // namespace moesim
