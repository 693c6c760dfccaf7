// What tables of decode attention share.
#pragma once

#include <memory>
#include <vector>

#include "calibration/decode_fit.h"
#include "calibration/kernel_tables/forms.h"
#include "calibration/kernel_tables/rows.h"

namespace moesim {

struct DecodeDetail : CaseDetail {
  DecodeCase op;
};

/// Shape, numbers, closed form and work of a case.
inline TimedRow decode_row(const DecodeCase& op, std::string shape, double seconds, const HwProfile& hw) {
  TimedRow out;
  out.shape = std::move(shape);
  for (const std::int64_t x : {op.batch, op.kv_len, op.heads, op.kv_heads, op.head_dim}) out.at.push_back(static_cast<double>(x));
  out.seconds = seconds;
  out.closed_form = DecodeForm(hw, kUsualDecodeConstants).seconds(op);
  const double tokens = static_cast<double>(op.batch) * static_cast<double>(op.kv_len);
  const double cached = op.latent > 0 ? static_cast<double>(op.latent + op.rope) : static_cast<double>(2 * op.kv_heads * op.head_dim);
  const double products = op.latent > 0 ? static_cast<double>(2 * op.latent + op.rope) : static_cast<double>(2 * op.head_dim);
  out.flops = 2 * tokens * static_cast<double>(op.heads) * products;
  out.bytes = tokens * cached * static_cast<double>(bits(op.kv)) / 8;
  auto detail = std::make_shared<DecodeDetail>();
  detail->op = op;
  out.detail = std::move(detail);
  return out;
}

class DecodeModel : public KernelModel {
 public:
  DecodeModel(const MeasuredForm& form, const HwProfile& hw) : curve_(form, hw, true) {}
  double seconds(const TimedRow& r) const override { return curve_.at(static_cast<const DecodeDetail&>(*r.detail).op).seconds; }

 private:
  DecodeCurve curve_;
};

inline std::optional<MeasuredForm> fit_decode_rows(const TimedSeries& s, const HwProfile& hw, const Seen& seen) {
  std::vector<DecodeTiming> timings;
  for (const TimedRow& r : s.rows)
    if (seen(r)) timings.push_back({static_cast<const DecodeDetail&>(*r.detail).op, r.seconds});
  if (timings.empty()) return std::nullopt;
  return fit_decode(hw, timings);
}

}  // namespace moesim
