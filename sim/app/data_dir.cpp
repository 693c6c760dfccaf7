#include "app/data_dir.h"

#include <cstdlib>
#include <vector>

#include "base/error.h"

namespace moesim {
namespace {

bool has_data(const std::filesystem::path& p) {
  std::error_code none;
  return std::filesystem::is_directory(p / "models", none);
}

}  // namespace

std::filesystem::path data_dir() {
  if (const char* set = std::getenv("MOESIM_DATA"); set && *set) {
    if (has_data(set)) return set;
    throw InputError("MOESIM_DATA: found \"" + std::string(set) + "\", allowed is a folder that has models/ and hw_profiles/");
  }
  std::error_code none;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", none);
  const std::vector<std::filesystem::path> places{self.parent_path().parent_path() / "share" / "moesim", MOESIM_SOURCE_DIR};
  for (const auto& p : places)
    if (has_data(p)) return p;
  throw InputError("no models/ folder found in " + places[0].string() + " or " + places[1].string() + "; set MOESIM_DATA");
}

}  // namespace moesim
