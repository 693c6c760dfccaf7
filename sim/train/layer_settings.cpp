#include "train/layer_settings.h"

namespace moesim {

OwnedLayerSettings layer_settings(const TrainScenario& s) {
  OwnedLayerSettings out;
  out.settings.model = &s.model;
  out.settings.parallel = s.parallel;
  out.settings.seq_length = s.seq_length;
  out.settings.micro_batch_size = s.micro_batch_size;
  out.settings.sequence_parallel = s.sequence_parallel;
  out.settings.tp_overlap = s.overlap.tp;
  out.settings.precision = s.precision;
  out.settings.recompute = s.recompute;
  out.settings.capacity = s.moe.capacity;
  out.settings.stack = &s.stack;
  out.settings.host_factor = s.hardware.host.cpu_factor.value;
  if (const MoeMlp* moe = s.model.moe()) {
    out.dispatcher = dispatchers().make(s.moe.dispatcher);
    if (s.moe.dispatcher_sms) out.dispatcher = out.dispatcher->with_sms(*s.moe.dispatcher_sms);
    out.settings.dispatcher = out.dispatcher.get();
    if (moe->num_groups > 1) out.settings.dispatch_group_limit = moe->topk_groups;
  }
  return out;
}

}  // namespace moesim
