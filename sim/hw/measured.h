// Curves of kernels timed on one device: hw_profiles/measured/NAME.json, written by `moesim validate kernels --write`. A file stands for
// itself: it says which closed form its times were fitted over, so that another machine's can be put in its place.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/document.h"
#include "base/dtype.h"
#include "hw/exchange_curves.h"

namespace moesim {

/// Constants of the closed form of a kernel's time (cost/closed_form.h) at one kind of clocks; seconds, bytes / s, FLOP / s.
struct KernelNumbers {
  std::array<std::optional<double>, kDTypes> gemm_rate;   // of large shapes, by format
  std::array<std::optional<double>, kDTypes> gemm_held;   // what a long load allows, whatever the shape; none: bursts
  double bandwidth = 0;                                   // peak
  double gemm_memory = 0, memory_bound = 0, permute = 0;  // shares of it
  double memory_large = 0, memory_half = 0;               // the share that streams of bytes far beyond `memory_half` come to
  double gemm_fixed = 0, memory_fixed = 0;                // of one kernel
  double half_k = 0, grouped_factor = 1;
  double attention_forward = 0, attention_backward = 0, half_seq = 0, narrow_head_factor = 1;
  double sms = 1, forward_half_tiles = 0, backward_half_tiles = 0;
};

/// Multiplications y[m,n] = x[m,k] w[n,k]^T of one series, over every m, n and k that occurs; in less than 16 bits with the quantisation of x.
struct MeasuredGemm {
  std::string framework, kernel, format;     // as tables name them: "trtllm-1.3.0rc20", "torch_flow", "fp8"
  std::string use;                           // what CostModel takes it for: "bf16", "fp8" (a scale a tensor), "fp8_block", "nvfp4"; "" = nothing
  std::vector<double> constants;             // of cost/gemm_form.h
  std::vector<std::int64_t> m, n, k;         // ascending
  std::vector<double> seconds;               // [(im * n.size() + in) * k.size() + ik]
  std::vector<bool> timed;                   // of each: or filled in by its neighbours
};

/// One series of timed kernels: constants of its form and what the timings say beyond it. What the constants and the sizes of a case are
/// is said by the form (cost/prefill_attention.h, cost/moe_layer.h, ...).
struct MeasuredForm {
  std::string framework, kernel, format;     // as tables name them: "vllm-0.24.0", "vllm_flash_attn_fa3", "bfloat16, kv bfloat16"
  std::string use;                           // what CostModel takes it for: "training", "prefill", "moe_bf16", ...; "" = nothing
  std::vector<double> constants;
  std::vector<std::int64_t> sizes;           // of each timed case, one after the other
  std::vector<double> log_ratio;             // of each timed case: logarithm of measured over form
};

/// What the cases of a kind of form are made of, and how many constants it has.
struct FormKind {
  std::string_view name;                     // in files
  std::size_t constants;
  std::vector<std::string_view> sizes;
};
std::span<const FormKind> form_kinds();

struct MeasuredCurves {
  std::string device;                        // "h200_sxm"
  std::string gpu;                           // as profiles name it: "H200 SXM 141 GB"
  std::vector<std::string> sources;          // with commit, licence and date
  KernelNumbers closed_form;                 // burst clocks
  std::vector<MeasuredGemm> gemms;
  std::map<std::string, std::vector<MeasuredForm>> forms;   // by kind
  std::optional<ExchangeCurves> exchanges;   // MoE back ends

  /// nullptr: none is used so.
  const MeasuredForm* form(std::string_view use) const;
  const MeasuredGemm* gemm(std::string_view use) const;
};

/// Throws InputError: malformed.
MeasuredCurves read_measured_curves(const Document&);

}  // namespace moesim
