// MoE dispatch and combine back ends: how token copies reach their experts and come back.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/dtype.h"
#include "base/registry.h"
#include "collective/placement.h"
#include "engine/transfer.h"
#include "hw/profile.h"
#include "moe/dispatch_plan.h"

namespace moesim {

/// One exchange of one MoE layer in one EP group.
struct ExchangeShape {
  std::int64_t tokens_per_rank = 0;      // routed tokens that one rank holds
  std::int64_t width = 0;                // elements of one token (hidden size, or the latent size)
  DType dtype = DType::bf16;             // of this exchange
  std::int64_t num_experts = 0, top_k = 0;
  std::int64_t group_limit = 0;          // most router groups a token may touch, 0 = no limit
  std::int64_t num_groups = 0;           // router groups over all experts, 0 = one a node
};

/// Bytes of one token on the wire: its elements and, for scaled formats, their scales (fp8: one fp32 per 128; fp4: one byte per 16).
std::int64_t token_bytes(std::int64_t width, DType);

/// Dispatch: tokens -> experts. Combine: expert outputs -> tokens.
enum class ExchangeWay : std::uint8_t { dispatch, combine };

/// An exchange made ready for one shape, group and machine: it holds what does not depend on the load. For one thread.
class PreparedExchange {
 public:
  virtual ~PreparedExchange() = default;
  /// `ranks` is the load of each EP rank, in group order. The result has one Member a rank, or one for all if the load is equal and the
  /// placement symmetric; it is valid until the next call. The same load gives the same result, whatever was asked before.
  virtual const Transfer& at(std::span<const RankLoad> ranks) = 0;
};

class Dispatcher {
 public:
  virtual ~Dispatcher() = default;
  /// The placement and the profile must outlive the result.
  virtual std::unique_ptr<PreparedExchange> prepare(ExchangeWay, const ExchangeShape&, const Placement&, const HwProfile&) const = 0;
  /// One exchange. For many of one shape, prepare it.
  Transfer dispatch(const ExchangeShape& s, std::span<const RankLoad> ranks, const Placement& p, const HwProfile& hw) const {
    return prepare(ExchangeWay::dispatch, s, p, hw)->at(ranks);
  }
  Transfer combine(const ExchangeShape& s, std::span<const RankLoad> ranks, const Placement& p, const HwProfile& hw) const {
    return prepare(ExchangeWay::combine, s, p, hw)->at(ranks);
  }
  /// True if the host must read token counts back before it can launch what follows (dropless).
  virtual bool host_reads_counts() const = 0;
  /// True if copies of a token are made before sending (a permute over tokens * top_k rows), false if the back end sends one per rank.
  virtual bool permutes_before() const = 0;
  /// SMs that its kernels hold while they run.
  virtual std::int64_t sms(const HwProfile&) const = 0;
  /// The same on other SMs; nullptr if their number is not the user's to choose.
  virtual std::unique_ptr<Dispatcher> with_sms(std::int64_t) const { return nullptr; }
  /// Why it cannot serve groups that span `gpus` neighbouring GPUs of the machine; "" if it can.
  virtual std::string refusal(std::int64_t gpus, const HwProfile&) const {
    (void)gpus;
    return {};
  }
  /// Whether a token crosses to another node once, however many of its experts are there.
  virtual bool once_per_node() const { return false; }
  /// Whether its kernels take fp8 with scales.
  virtual bool takes_fp8() const { return false; }
};

Registry<Dispatcher> dispatchers();

}  // namespace moesim
