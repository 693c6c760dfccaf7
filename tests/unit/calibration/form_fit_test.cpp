#include "calibration/form_fit.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hw/exchange_forms.h"

namespace moesim {
namespace {

/// A sweep of tokens, copies and SMs.
std::vector<ExchangeWork> sweep() {
  std::vector<ExchangeWork> out;
  for (double tokens = 1; tokens <= 131072; tokens *= 4)
    for (const double bytes : {2112.0, 4224.0, 7392.0})
      for (const double copies : {1.0, 3.3, 5.3})
        for (const double sms : {8.0, 20.0, 24.0}) {
          ExchangeWork w;
          w.tokens = tokens, w.bytes = bytes, w.copies = copies, w.wire = copies * bytes, w.sms = sms;
          out.push_back(w);
        }
  return out;
}

constexpr NormalForm kTruth{{24, 1e-4, 2e-5, 0, 300, 60, 0.03, 0.02, 330, 0.01, 200}, 2};
constexpr NormalForm kGuess{{30, 1.3e-4, 1.5e-5, 1, 250, 75, 0.025, 0.025, 360, 0.012, 160}, 2};

FormOf form_of(const std::vector<ExchangeWork>& works) {
  return [&works](std::span<const double> c, std::size_t i) {
    NormalForm f = kGuess;
    std::copy(c.begin(), c.end(), f.c.begin());
    return f.seconds(works[i]);
  };
}

TEST(FormFit, FindsTheFormThatMadeTheTimes) {
  const std::vector<ExchangeWork> works = sweep();
  std::vector<double> seconds;
  for (const ExchangeWork& w : works) seconds.push_back(kTruth.seconds(w));
  const FittedConstants fit = fit_constants(form_of(works), kGuess.c, seconds);
  for (std::size_t i = 0; i < works.size(); ++i) EXPECT_NEAR(form_of(works)(fit.constants, i) / seconds[i], 1, 0.02);   // the guess is up to a third off
}

TEST(FormFit, OneWildRowOfManyMovesLittle) {
  const std::vector<ExchangeWork> works = sweep();
  std::vector<double> seconds;
  for (const ExchangeWork& w : works) seconds.push_back(kTruth.seconds(w));
  seconds[5] *= 20;
  const FittedConstants fit = fit_constants(form_of(works), kGuess.c, seconds);
  for (std::size_t i = 0; i < works.size(); ++i)
    if (i != 5) {
      EXPECT_NEAR(form_of(works)(fit.constants, i) / kTruth.seconds(works[i]), 1, 0.02);
    }
}

TEST(FormFit, WhatTimesSayNothingAboutStaysAsItWas) {
  std::vector<ExchangeWork> works = sweep();
  std::vector<double> seconds;
  for (const ExchangeWork& w : works) seconds.push_back(kTruth.seconds(w));
  EXPECT_NEAR(fit_constants(form_of(works), kGuess.c, seconds).constants[3], kGuess.c[3], 1e-9);   // per node: all rows are of one node
}

TEST(FormFit, ConstantsStayPositiveAndFiniteWhateverTheTimes) {
  const std::vector<ExchangeWork> works = sweep();
  for (const double time : {1e-9, 1.0}) {
    const std::vector<double> seconds(works.size(), time);
    for (const double c : fit_constants(form_of(works), kGuess.c, seconds).constants) {
      EXPECT_GT(c, 0);
      EXPECT_TRUE(std::isfinite(c));
    }
  }
}

}  // namespace
}  // namespace moesim
