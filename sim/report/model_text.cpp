#include "report/model_text.h"

#include <algorithm>

#include "base/json.h"
#include "base/unit_text.h"
#include "model/count.h"
#include "report/table.h"

namespace moesim {
namespace {

std::string billions(double n) { return significant(n * 1e-9, 4) + " B"; }
std::string millions(std::int64_t n) { return significant(static_cast<double>(n) * 1e-6, 4) + " M"; }

/// "published 37.00 B, counted +1.5 %".
std::string published(double counted, double given) {
  if (given == 0) return "";
  const double more = counted / given - 1;
  return "published " + significant(given * 1e-9, 4) + " B, counted " + (more < 0 ? "" : "+") + significant(more * 100, 2) + " %";
}

}  // namespace

std::string model_text(const ModelSpec& m, std::int64_t seq_length) {
  const ModelParams p = count_params(m);
  const auto total = static_cast<double>(p.total()), active = static_cast<double>(p.active());
  Table t({Table::Align::left, Table::Align::right, Table::Align::left});
  t.row({"total parameters", billions(total), published(total, m.published_total_params)});
  t.row({"active parameters", billions(active), published(active, m.published_active_params)});
  if (m.mtp_layers > 0) t.row({"multi-token prediction", billions(static_cast<double>(p.mtp.total())), "not in the total"});
  t.row({"embeddings", millions(p.input_embedding + p.output_embedding), m.tie_word_embeddings ? "tied" : ""});
  t.row({"FLOPs per token", significant(flops_per_token(m, seq_length) * 1e-9, 4) + " GF", std::string("forward and backward, ") + (m.mtp_layers > 0 ? "multi-token prediction included, " : "") + "seq " + std::to_string(seq_length)});
  t.row({"KV per token", significant(kv_bytes_per_token(m, seq_length) / 1024, 4) + " KiB", "2 bytes an element"});
  Table layers({Table::Align::left, Table::Align::right, Table::Align::right, Table::Align::right, Table::Align::right});
  layers.row({"kind of layer", "layers", "parameters", "active", "routed"});
  for (std::size_t k = 0; k < m.kinds.size(); ++k) {
    const ParamCount c = count_params(m.kinds[k], m.hidden_size, m.norm_bias);
    layers.row({m.kinds[k].name, std::to_string(std::count(m.layers.begin(), m.layers.end(), k)), millions(c.total()), millions(c.active()), millions(c.routed)});
  }
  const std::string note = m.moe() ? "Active: what one token passes, both embeddings included; vendors differ in which of these they count.\n" : "";
  return m.name + ": hidden " + std::to_string(m.hidden_size) + ", " + counted(m.num_layers(), "layer") + ", vocabulary " +
         std::to_string(m.vocab_size) + "\n" + t.text() + note + "\n" + layers.text();
}

std::string model_json(const ModelSpec& m, std::int64_t seq_length) {
  const ModelParams p = count_params(m);
  Json out = {{"name", m.name}, {"total_params", p.total()}, {"active_params", p.active()}, {"mtp_params", p.mtp.total()},
              {"flops_per_token", flops_per_token(m, seq_length)}, {"seq_length", seq_length}, {"kv_bytes_per_token", kv_bytes_per_token(m, seq_length)}};
  for (std::size_t k = 0; k < m.kinds.size(); ++k) {
    const ParamCount c = count_params(m.kinds[k], m.hidden_size, m.norm_bias);
    out["layer_kinds"].push_back({{"name", m.kinds[k].name}, {"layers", std::count(m.layers.begin(), m.layers.end(), k)}, {"params", c.total()},
                                  {"active_params", c.active()}, {"routed_params", c.routed}});
  }
  return json_text(out);
}

}  // namespace moesim
