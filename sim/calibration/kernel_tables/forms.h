// What kinds of tables share that are predicted by a form with constants and ratios over it (MeasuredForm).
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "calibration/kernel_tables.h"

namespace moesim {

class FormTable : public KernelTable {
 public:
  std::unique_ptr<KernelModel> fit(std::span<const TimedSeries> all, std::size_t which, const HwProfile& hw, const Seen& seen) const override {
    const std::optional<MeasuredForm> found = fitted(all[which], hw, seen);
    return found ? model(*found, all[which], hw) : nullptr;
  }

  bool add_curve(MeasuredCurves& out, const TimedSeries& s, const HwProfile& hw) const override {
    std::optional<MeasuredForm> found = fitted(s, hw, [](const TimedRow&) { return true; });
    if (!found) return false;
    found->framework = s.framework, found->kernel = s.kernel, found->format = s.format;
    out.forms[kind(s)].push_back(std::move(*found));
    return true;
  }

  std::unique_ptr<KernelModel> shipped(const HwProfile& hw, const TimedSeries& names) const override {
    const std::shared_ptr<const MeasuredCurves> curves = held(hw);
    if (!curves || curves->device != names.device) return nullptr;
    if (const auto found = curves->forms.find(kind(names)); found != curves->forms.end())
      for (const MeasuredForm& f : found->second)
        if (f.framework == names.framework && f.kernel == names.kernel && f.format == names.format) return model(f, names, hw);
    return nullptr;
  }

 private:
  /// The machine's curves of this kind.
  virtual std::shared_ptr<const MeasuredCurves> held(const HwProfile& hw) const { return hw.measured.curves; }
  /// Of form_kinds().
  virtual std::string kind(const TimedSeries&) const = 0;
  /// Fitted to the rows that are seen; nothing without any.
  virtual std::optional<MeasuredForm> fitted(const TimedSeries&, const HwProfile&, const Seen&) const = 0;
  virtual std::unique_ptr<KernelModel> model(const MeasuredForm&, const TimedSeries& names, const HwProfile&) const = 0;
};

}  // namespace moesim
