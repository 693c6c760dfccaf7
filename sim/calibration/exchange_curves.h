// Tables of MoE exchanges -> the fitted forms of one device.
#pragma once

#include <span>
#include <string>

#include "base/csv.h"
#include "hw/measured.h"
#include "hw/profile.h"

namespace moesim {

/// The only device with healthy rows over several nodes: it stands for all there.
inline constexpr const char* kTimedOverNodes = "h100_sxm";

/// Of each kernel the release that has timed it most; over nodes the forms of kTimedOverNodes, whose machine is `over_nodes`. Nothing for a device that has no
/// timed exchange; otherwise the sources of the tables are added.
void add_exchanges(MeasuredCurves&, std::span<const CsvTable>, const HwProfile&, const HwProfile& over_nodes);

/// As JSON, with one line a form, indented by two.
std::string to_text(const ExchangeCurves&);

}  // namespace moesim
