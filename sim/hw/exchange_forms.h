// How long the kernels of MoE back ends take when all ranks send alike: closed forms with constants that are fitted to timings.
//
// What they share: kernels that start, and then move tokens either as fast as their SMs copy them or as fast as the link carries them. Where both are
// near they hinder each other: (a^n + b^n)^(1/n) with n = 2^doublings; n = 1 is one after the other.
// Constants are >= 0, in us, ns, bytes and GB/s, in the order of kNames.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>

namespace moesim {

/// Tokens of one rank that go out, and what they need.
struct ExchangeWork {
  double tokens = 0;
  double bytes = 0;           // of one copy
  double copies = 0;          // of one token, to all ranks that it reaches, its own included
  double nodes_reached = 1;   // of one token, its own included
  double wire = 0;            // bytes of one token on the link that binds: all copies inside a node, what leaves for other nodes over the NIC
  double sms = 1;             // that the kernel holds
  double ranks = 1, nodes = 1, experts = 0, top_k = 0;
};

constexpr int kMostDoublings = 4;

/// (a^n + b^n)^(1/n), n = 2^doublings; a, b >= 0. Products and roots only: cheap, and the same bits everywhere.
inline double together(double a, double b, int doublings) {
  double high = a > b ? a : b, ratio = high > 0 ? (a > b ? b : a) / high : 0;
  for (int i = 0; i < doublings; ++i) ratio *= ratio;
  double factor = 1 + ratio;
  for (int i = 0; i < doublings; ++i) factor = std::sqrt(factor);
  return high * factor;
}

/// DeepEP's normal kernels: per token its routing, per copy its place, per byte a read in each node, per copied byte a write; chunks fill the pipeline of
/// channels, at `fill_tokens` by half.
struct NormalForm {
  static constexpr std::array<std::string_view, 11> kNames{"start_us", "start_byte_us", "start_copy_byte_us", "start_node_us", "token_ns", "copy_ns", "byte_ns",
                                                           "copy_byte_ns", "link_gb", "fill_ns", "fill_tokens"};
  std::array<double, kNames.size()> c{};
  int doublings = 2;

  double start(const ExchangeWork&) const;          // seconds until bytes move
  double by_sms(const ExchangeWork&) const;         // seconds that the SMs need for all tokens
  double by_link(const ExchangeWork&) const;        // and the link
  double filling(const ExchangeWork&) const;        // on top of both
  double seconds(const ExchangeWork& w) const { return start(w) + together(by_sms(w), by_link(w), doublings) + filling(w); }
};

/// The kernel that tells counts ahead of DeepEP's normal kernels over nodes.
struct NotifyForm {
  static constexpr std::array<std::string_view, 4> kNames{"start_us", "grown_us", "grown_tokens", "token_ns"};
  std::array<double, kNames.size()> c{};
  int doublings = 0;
  double seconds(const ExchangeWork&) const;
};

/// DeepEP's low-latency kernels: one message a token and expert, by as many SMs as `low_latency_sms`.
struct LowLatencyForm {
  static constexpr std::array<std::string_view, 9> kNames{"start_us", "start_byte_us", "start_expert_us", "start_node_us", "token_ns", "token_byte_ns", "copy_ns",
                                                          "copy_byte_ns", "link_gb"};
  std::array<double, kNames.size()> c{};
  int doublings = 1;

  double start(const ExchangeWork&) const;
  double by_sms(const ExchangeWork&) const;
  double by_link(const ExchangeWork&) const;
  double seconds(const ExchangeWork& w) const { return start(w) + together(by_sms(w), by_link(w), doublings); }
};

/// All-to-all over one NVLink domain (TensorRT-LLM): a floor a token, or the bytes that leave the rank; both grow with the doublings of ranks.
struct RackForm {
  static constexpr std::array<std::string_view, 5> kNames{"start_us", "start_doubling_us", "token_ns", "link_gb", "link_doubling"};
  std::array<double, kNames.size()> c{};
  int doublings = 1;

  double start(const ExchangeWork&) const;
  double by_sms(const ExchangeWork&) const;
  double by_link(const ExchangeWork&) const;
  double seconds(const ExchangeWork& w) const { return start(w) + together(by_sms(w), by_link(w), doublings); }
};

/// SMs of DeepEP's low-latency kernels: as many experts an SM as give each expert warps of its own.
double low_latency_sms(double experts, double device_sms);

}  // namespace moesim
