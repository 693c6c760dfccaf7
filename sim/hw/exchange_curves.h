// Fitted forms of MoE exchange kernels timed on one device: the section "exchanges" of hw_profiles/measured/NAME.json.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/dtype.h"
#include "base/reader.h"
#include "hw/exchange_forms.h"

namespace moesim {

struct ExchangeCurves {
  /// Links of a GPU of the machine that was timed, bytes a second in one direction, and GPUs of a node of it.
  double scale_up = 0, scale_out = 0;
  std::int64_t gpus = 0;

  struct Normal {
    std::string from;                     // "h100_sxm, sglang-0.5.12"
    NormalForm dispatch, combine;
    NotifyForm dispatch_notify, combine_notify;   // over nodes only
  };
  struct LowLatency {
    std::string from;
    LowLatencyForm dispatch, combine;
  };
  struct Rack {
    std::string from;
    RackForm prepare, combine;
    std::map<DType, RackForm> dispatch;   // bf16, fp8, fp4
  };
  std::optional<Normal> normal, normal_over_nodes;
  std::optional<LowLatency> low_latency, low_latency_over_nodes;
  std::optional<Rack> rack;
};

/// Throws InputError: malformed.
ExchangeCurves read_exchange_curves(Reader);

}  // namespace moesim
