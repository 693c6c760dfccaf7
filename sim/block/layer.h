// One layer on one rank as a list of kernels, transfers and host synchronisations, in issue order on the compute stream; for each
// pass. Blocking transfers sit on the compute stream: the next kernel needs them. Overlap is built from these by the caller.
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
  Op op;                       // grouped_gemm: n, k and `groups` (local experts) set, m per token copy = 1; else traffic per token copy
  std::int64_t pad_rows = 0;   // rows that each local expert is padded to a multiple of, 0 = none
  bool per_received = false;   // counts arriving copies (permute) rather than computed ones
};

/// The kernel as the rank runs it. A rank without tokens still launches it (traffic >= 1 byte).
Op at_load(const ExpertKernel&, const RankLoad&);

/// A collective with a fixed size in one of the rank's groups; `bytes` as in collective().
struct Exchange {
  CollectiveOp op;
  GroupKind group;
  Bytes bytes;
};

/// Dispatch or combine of a MoE layer (in backward the gradient of combine is a dispatch and the other way round).
struct ExpertExchange {
  bool combine = false;
  DType dtype = DType::bf16;
};

/// The host waits until the device has come this far (reads token counts), and does `host` work of its own first.
struct HostSync {};

/// Work of the host alone (Python of a module), before the next launch.
struct HostWork {
  Time time{0};
};

using Node = std::variant<Kernel, ExpertKernel, Exchange, ExpertExchange, HostSync, HostWork>;
using NodeList = std::vector<Node>;

struct LayerProgram {
  NodeList forward;
  NodeList backward;           // dgrad and wgrad interleaved as autograd runs them; starts with what recomputation repeats (op.recompute)
};

/// A decoder layer of kind `kind` of settings.model.
LayerProgram lower_layer(const LayerSettings&, const LayerKind& kind);
/// Input embedding (first stage).
LayerProgram lower_embedding(const LayerSettings&);
/// One multi-token prediction block: norms, projection of 2h to h, a layer of the last kind; the loss head runs apart.
LayerProgram lower_mtp(const LayerSettings&);
/// Final norm, logits, cross-entropy (last stage); once per model output (1 + MTP depths).
LayerProgram lower_head(const LayerSettings&);

}  // namespace moesim
