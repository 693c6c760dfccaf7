// Curves of times over sizes that help one another: those of other numbers of GPUs, of other operations and of other machines of a generation.
//
// A time is a form times a correction. The form is linear in a few terms (a start, steps, bytes moved), with coefficients >= 0 by least squares of
// relative errors; all points of one regime (an algorithm with its wire protocol) share it. The logarithm of the correction is interpolated
// by a Gaussian process (kriging) whose covariance falls with the distance in sizes and in GPUs and between unlike kinds and machines, so that
// measured points are kept and what is far from all of them is the form alone.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace moesim {

struct CurvePoint {
  static constexpr std::size_t kTerms = 3;
  std::string form;                      // "hopper ring LL": points with equal names share coefficients
  std::array<double, kTerms> terms{};    // >= 0, not all 0
  std::optional<double> guess;           // seconds where no point has this form
  std::string regime;                    // "ring LL"
  std::string machine, kind;             // kind: an operation or a kernel
  double log_gpus = 0, log_size = 0;     // base 2
  double seconds = 0;                    // measured; not read of a point that is asked for
};

/// How much the curves of two kinds tell of each other, 0 to 1; 1 for one kind.
using Likeness = std::function<double(std::string_view, std::string_view)>;

class CurveModel {
 public:
  /// Points at one place count once, with their lower quartile. At least one point.
  CurveModel(std::vector<CurvePoint> points, Likeness alike);

  /// > 0. Where no point has the form: the guess, or the form of the same first word, or any, with the terms given.
  double seconds(const CurvePoint&) const;

 private:
  struct Form {
    std::string name;
    std::array<double, CurvePoint::kTerms> coefficients{};
    std::size_t points = 0;
  };
  double form_seconds(const CurvePoint&) const;
  double covariance(const CurvePoint&, const CurvePoint&) const;

  std::vector<CurvePoint> points_;
  Likeness alike_;
  std::vector<Form> forms_;
  std::vector<double> weights_;
};

}  // namespace moesim
