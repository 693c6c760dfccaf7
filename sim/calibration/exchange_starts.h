// Where the fits of MoE exchanges start: what is read off the tables by eye, and what a constant stays at that no row says anything about.
#pragma once

#include "hw/exchange_forms.h"

namespace moesim {

inline NormalForm normal_start(bool combine, bool over_nodes) {
  constexpr NormalForm kDispatch{{25, 1e-4, 1e-5, 5, 280, 80, 0.02, 0.033, 340, 0.013, 150}}, kCombine{{24, 8e-4, 1e-4, 5, 50, 35, 0.1, 0.03, 360, 0.005, 400}};
  constexpr NormalForm kDispatchOver{{26, 1e-4, 1e-5, 5, 280, 80, 0.02, 0.05, 48, 0.02, 300}}, kCombineOver{{34, 8e-4, 1e-4, 5, 50, 35, 0.12, 0.05, 48, 0.03, 250}};
  return over_nodes ? (combine ? kCombineOver : kDispatchOver) : combine ? kCombine : kDispatch;
}

inline NotifyForm notify_start() { return {{30, 25, 4000, 20}}; }

inline LowLatencyForm low_latency_start(bool combine, bool over_nodes) {
  LowLatencyForm out = combine ? LowLatencyForm{{9, 1e-4, 0.01, 3, 300, 0.02, 50, 0.03, 250}} : LowLatencyForm{{9, 1e-4, 0.015, 3, 1200, 0.1, 150, 0.03, 300}};
  if (over_nodes) out.c[8] = 47;   // GB/s of the NIC
  return out;
}

inline RackForm rack_start(bool prepare) { return {{11, 1, prepare ? 6.8 : 20.0, 700, 0.05}}; }

}  // namespace moesim
