// Tables of timed kernels on disk.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "calibration/kernel_tables.h"
#include "hw/profile.h"

namespace moesim {

/// Machines behind the names of devices; each is read once.
class DeviceMachines {
 public:
  /// Throws InputError: validate/kernels/devices.json of `data` is missing or malformed.
  explicit DeviceMachines(std::filesystem::path data, Curves = Curves::read);
  /// Without curves of collectives, so that beside timed ones stands the formula. nullptr: no machine is known for this device.
  const HwProfile* find(const std::string& device);
  /// With all of its curves.
  const HwProfile* whole(const std::string& device);
  /// The device of the tables whose curves the machine of this one has, its own or borrowed: "h200_sxm" of dgx-h200 and of alps-gh200. Itself
  /// where a table is of it, or where its machine has none.
  std::string timed_as(const std::string& device);
  /// All that have a machine, sorted.
  std::vector<std::string> devices() const;

 private:
  std::filesystem::path data_;
  Curves curves_;
  std::map<std::string, std::string> names_;
  std::set<std::string> tables_;   // those that are not machines
  std::map<std::string, HwProfile> read_, whole_;
};

/// NAME.csv and NAME.csv.xz, sorted. Throws InputError: no such folder, or none in it.
std::vector<std::filesystem::path> table_files(const std::filesystem::path& folder);

/// Rows of all files of one kind and device.
struct DeviceTable {
  std::string kind, device;
  std::vector<TimedSeries> series;
};

/// The kinds, each made once: what one of them works out for a file serves the next.
class KernelKinds {
 public:
  KernelKinds();
  const std::map<std::string, std::unique_ptr<KernelTable>>& all() const { return kinds_; }

 private:
  std::map<std::string, std::unique_ptr<KernelTable>> kinds_;
};

struct KernelFiles {
  std::vector<DeviceTable> tables;                              // in the order in which they first occur
  std::vector<std::pair<std::string, std::string>> skipped;     // file (and device) and why; rows of it that no kernel answers for
  std::set<std::string> devices;                                // in any file of a kind that is wanted

  const DeviceTable* find(const std::string& kind, const std::string& device) const;
};

/// Reads NAME.csv and NAME.csv.xz of a folder in the order of their names; `kind` and `device` say what is wanted. Throws InputError.
KernelFiles read_kernel_files(const std::filesystem::path& folder, const KernelKinds&, DeviceMachines&, const std::function<bool(const std::string&)>& kind,
                              const std::function<bool(const std::string&)>& device);

}  // namespace moesim
