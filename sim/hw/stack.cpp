#include "hw/stack.h"

#include "base/error.h"
#include "base/extends.h"
#include "base/named_file.h"
#include "hw/sourced_document.h"

namespace moesim {

namespace {

constexpr const char* kKind = "stack";

std::filesystem::path folder(const std::filesystem::path& data) { return data / "hw_profiles" / "stacks"; }

constexpr Limits<Time> kHostTime{Time{0}, kSecond};   // of a kernel, a layer, an expert
constexpr Limits<Time> kStepTime{Time{0}, 600 * kSecond};
constexpr IntegerRange kSms{0, 64};                   // NCCL has at most 64 channels

Stack stack(const SourcedDocument& document) {
  Stack out;
  SourcedReader in(document, out.numbers);
  in.plain().ignore("extends");
  out.name = printable(in.plain().text("name"));
  out.description = in.plain().text("description");
  out.host_per_kernel_forward = in.time("host_per_kernel_forward", kHostTime);
  out.host_per_kernel_backward = in.time("host_per_kernel_backward", kHostTime);
  out.launch_latency = in.time("launch_latency", kHostTime);
  out.host_sync = in.time("host_sync", kHostTime);
  out.host_per_moe_layer = in.time("host_per_moe_layer", kHostTime);
  out.host_per_moe_layer_tp = in.time("host_per_moe_layer_tp", kHostTime);
  out.host_per_local_expert = in.time("host_per_local_expert", kHostTime);
  out.host_per_local_expert_fp8 = in.time("host_per_local_expert_fp8", kHostTime);
  out.host_per_recompute_module = in.time("host_per_recompute_module", kHostTime);
  out.host_per_step = in.time("host_per_step", kStepTime);
  out.collective_sms = in.integer("collective_sms", kSms);
  out.network_sms = in.integer("network_sms", kSms);
  out.p2p_sms = in.integer("p2p_sms", kSms);
  out.tp_overlap_sms = in.integer("tp_overlap_sms", kSms);
  out.kernel_gap = in.time("kernel_gap", kHostTime);
  out.host_per_graph = in.time("host_per_graph", kHostTime);
  out.graphed_moe_share = in.number("graphed_moe_share", {0, 1});
  out.cuda_graph_attn = in.plain().flag("cuda_graph_attn");
  out.cuda_graph_mlp = in.plain().flag("cuda_graph_mlp");
  out.cuda_graph_moe = in.plain().flag("cuda_graph_moe");
  out.cuda_graph_moe_router = in.plain().flag("cuda_graph_moe_router");
  out.cuda_graph_moe_preprocess = in.plain().flag("cuda_graph_moe_preprocess");
  out.fused_attention = in.plain().flag("fused_attention");
  out.permute_fusion = in.plain().flag("permute_fusion");
  out.router_fusion = in.plain().flag("router_fusion");
  out.cross_entropy_fusion = in.plain().flag("cross_entropy_fusion");
  in.done();
  return out;
}

}  // namespace

Stack load_stack(const Document& document, const std::filesystem::path& data) {
  const std::vector<Document> chain = extension_chain(document, kKind, folder(data));
  SourcedDocument merged(chain.back());
  Stack out = stack(merged);
  for (std::size_t i = chain.size() - 1; i-- > 0;) {
    merged = SourcedDocument::merged(merged, SourcedDocument(chain[i]));
    out = stack(merged);
    out.name = printable(own_name(chain[i]));
  }
  return out;
}

Stack load_stack(const std::string& name_or_path, const std::filesystem::path& data) {
  return load_stack(Document::load(resolve_named_file(name_or_path, folder(data), kKind)), data);
}

std::vector<std::string> stack_names(const std::filesystem::path& data) { return json_names(folder(data)); }

}  // namespace moesim
