// One layer on one rank as a list of kernels, transfers and host synchronisations, in issue order on the compute stream; for each
// pass. Blocking transfers sit on the compute stream: the next kernel needs them. A transfer `behind` runs beside the kernels up to the
// next Join. Other overlap is built by the caller.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "block/settings.h"
#include "collective/collective.h"
#include "model/op.h"

namespace moesim {

/// A kernel with a fixed shape.
struct Kernel {
  Op op;
};

/// A kernel of the routed experts: its shape depends on the rank's load. `op` is for one token copy; see at_load.
struct ExpertKernel {
  Op op;                       // grouped_gemm: n, k and `groups` (local experts) set, m per token copy = 1; else traffic a copy
  bool per_received = false;   // counts arriving copies (permute) rather than computed ones
  std::int64_t gathered = 1;   // ranks whose copies are computed here: ETP peers gather theirs, all of one load
};

/// The kernel as the rank runs it: copies x gathered rows over the weights of the touched experts (what tiles waste is the cost
/// model's). A rank without tokens still launches it (one row, traffic >= 1 byte).
Op at_load(const ExpertKernel&, const RankLoad&);

/// A collective with a fixed size in one of the rank's groups; `bytes` as in collective().
struct Exchange {
  CollectiveOp op;
  GroupKind group;
  Bytes bytes;
  bool behind = false;         // starts here, ends by the next Join
  bool graphed = false;        // launched with the CUDA graph that it is in
};

/// A collective whose size follows the load: the gather and scatter of token copies between ETP peers (GroupKind::etp).
struct LoadedExchange {
  CollectiveOp op;
  GroupKind group;
  Bytes bytes_per_copy;        // of the whole buffer, for each copy that arrives at this rank
};

/// The exchange for a rank's load; all peers carry the same load. Never less than one byte.
Exchange at_load(const LoadedExchange&, const RankLoad&);

/// Dispatch or combine of a MoE layer (in backward the gradient of combine is a dispatch and the other way round).
struct ExpertExchange {
  bool combine = false;
  DType dtype = DType::bf16;
  bool operator==(const ExpertExchange&) const = default;
};

/// The compute stream waits for the transfer that runs behind it; there is at most one.
struct Join {};

/// The host waits until the device has come this far (reads token counts).
struct HostSync {};

/// Work of the host alone (Python of a module), before the next launch; LayerSettings::host_factor is in it.
struct HostWork {
  Time time{0};
};

using Node = std::variant<Kernel, ExpertKernel, Exchange, LoadedExchange, ExpertExchange, Join, HostSync, HostWork>;
using NodeList = std::vector<Node>;

struct LayerProgram {
  NodeList forward;
  NodeList backward;           // dgrad and wgrad interleaved as autograd runs them. What recomputation repeats (op.recompute) comes
                               // first: of the whole layer if it is full, of each part before that part's backward if selective
};

/// Refuses what cannot be lowered yet: context parallelism, and parts whose training time is not modelled. Throws InputError.
/// lower_layer and lower_mtp call it; all expect sizes that check_model_fits_layout (parallel/rules.h) accepts.
void check_lowering(const LayerSettings&);

/// A decoder layer of kind `kind` of settings.model.
LayerProgram lower_layer(const LayerSettings&, const LayerKind& kind);
/// Input embedding (first stage).
LayerProgram lower_embedding(const LayerSettings&);
/// One multi-token prediction block: embedding of the next token, two norms, projection of 2h to h, a layer of mtp_kind(); its loss
/// head (with the final norm) runs apart.
LayerProgram lower_mtp(const LayerSettings&);
/// Final norm, logits, cross-entropy (last stage); once per model output (1 + MTP depths).
LayerProgram lower_head(const LayerSettings&);

}  // namespace moesim
