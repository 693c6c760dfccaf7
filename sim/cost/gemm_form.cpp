#include "cost/gemm_form.h"

#include <cmath>
#include <string>

#include "base/error.h"
#include "cost/closed_form.h"

namespace moesim {
namespace {

double d(std::int64_t x) { return static_cast<double>(x); }

double bytes_of_result(DType type, Pass pass) {
  Op op;
  op.kind = OpKind::gemm, op.dtype = type, op.pass = pass, op.m = op.n = 1;
  return d(traffic(op).count());
}

}  // namespace

GemmForm::GemmForm(const KernelNumbers& c, DType type, const GemmConstants& times, Pass pass) : in_(d(bits(type)) / 8), out_(bytes_of_result(type, pass)) {
  const std::optional<double>& rate = c.gemm_rate[static_cast<std::size_t>(type)];
  if (!rate) throw InputError("found a GEMM in " + std::string(name(type)) + ", which this machine has no rate for");
  at_ = {c.gemm_fixed, *rate, c.gemm_memory * c.bandwidth, c.half_k};
  for (std::size_t i = 0; i < at_.size(); ++i) at_[i] *= times[i];
  if (pass == Pass::wgrad) accumulation_ = accumulation_seconds(c);
}

struct GemmForm::Parts {
  double edge = 0;                                 // what the rate loses to short reductions and narrow results, as a share
  double products = 0, arithmetic = 0;             // s: without and with accumulation
  double memory = 0;                               // s
  double arithmetic4 = 0, memory4 = 0, both = 0;   // to the fourth power; s
};

GemmForm::Parts GemmForm::parts(GemmShape s) const {
  const auto constant = [this](GemmConstant i) { return at_[static_cast<std::size_t>(i)]; };
  const double m = d(s.m), n = d(s.n), k = d(s.k), results = m * n;
  Parts out;
  out.edge = constant(GemmConstant::half) * (n + 0.5 * k) / (n * k);
  out.products = 2 * results * k * (1 + out.edge) / constant(GemmConstant::compute);
  out.arithmetic = out.products + results * accumulation_;
  out.memory = ((m + n) * k * in_ + results * out_) / constant(GemmConstant::memory);
  const double a = out.arithmetic * out.arithmetic, b = out.memory * out.memory;
  out.arithmetic4 = a * a, out.memory4 = b * b, out.both = std::sqrt(std::sqrt(out.arithmetic4 + out.memory4));
  return out;
}

double GemmForm::seconds(GemmShape s) const { return at_[static_cast<std::size_t>(GemmConstant::fixed)] + parts(s).both; }

GemmForm::Slopes GemmForm::slopes(GemmShape s) const {
  const Parts p = parts(s);
  const double fixed = at_[static_cast<std::size_t>(GemmConstant::fixed)], by_arithmetic = p.both * (p.arithmetic4 / (p.arithmetic4 + p.memory4));
  const double by_products = by_arithmetic * p.products / p.arithmetic;
  Slopes out{fixed + p.both, {}};
  const auto set = [&](GemmConstant i, double seconds) { out.slope[static_cast<std::size_t>(i)] = seconds / out.seconds; };
  set(GemmConstant::fixed, fixed);
  set(GemmConstant::compute, -by_products);
  set(GemmConstant::memory, by_arithmetic - p.both);
  set(GemmConstant::half, by_products * p.edge / (1 + p.edge));
  return out;
}

}  // namespace moesim
