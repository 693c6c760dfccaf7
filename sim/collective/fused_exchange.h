// Exchanges by fused kernels: a token crosses the NIC once per other node that it touches, to the GPU of the same number there, which forwards it over
// the scale-up fabric to each rank that needs it. Combine is the way back, with sums where dispatch made copies.
// Waiting for slow peers is not in here: the engine makes it.
#pragma once

#include <memory>

#include "collective/dispatcher.h"
#include "hw/exchange_curves.h"

namespace moesim {

/// What a back end's kernels do to the ports.
struct FusedTimes {
  Time start{0};               // until bytes move
  double by_sms = 0;           // seconds that the SMs of a rank need for an even load, whatever the links
  double filling = 0;          // seconds on top of SMs and links
  int doublings = kMostDoublings;   // how SMs and links hinder each other (`together`)
  double up = 1, out = 1;      // of the peak of the scale-up fabric and of the NIC, what the kernels reach
};

/// For a group of two ranks and more.
std::unique_ptr<PreparedExchange> fused_exchange(ExchangeWay, const ExchangeShape&, const Placement&, const HwProfile&, const FusedTimes&);

/// The timed kernels of the machine, or of one like it; nullptr if there are none.
const ExchangeCurves* exchange_curves(const HwProfile&);

/// For a group of one.
std::unique_ptr<PreparedExchange> no_exchange();

/// An even load as the forms of `hw/exchange_forms.h` want it; without sms. Copies and nodes reached follow from the router.
ExchangeWork even_work(const ExchangeShape&, const Placement&);

}  // namespace moesim
