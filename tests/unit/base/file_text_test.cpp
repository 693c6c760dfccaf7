#include "base/file_text.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/error.h"

namespace moesim {
namespace {

std::string error_of(const std::filesystem::path& file) {
  try {
    (void)read_file(file);
  } catch (const InputError& e) {
    return e.what();
  }
  return "accepted";
}

TEST(FileText, IsTheWholeFile) {
  const std::filesystem::path file = std::filesystem::path(::testing::TempDir()) / "file_text.txt";
  const std::string text = std::string(100000, 'x') + std::string(1, '\0') + "\r\n";
  std::ofstream(file, std::ios::binary) << text;
  EXPECT_EQ(read_file(file), text);
  std::ofstream(file, std::ios::trunc).close();
  EXPECT_EQ(read_file(file), "");
}

TEST(FileText, SaysWhatCannotBeRead) {
  EXPECT_EQ(error_of("/"), "/: cannot read: it is a folder");
  EXPECT_EQ(error_of("/no/file"), "/no/file: cannot read: No such file or directory");
}

#ifdef __linux__
TEST(FileText, EndsAtItsLimit) { EXPECT_EQ(error_of("/dev/zero"), "/dev/zero: cannot read: larger than 256 MiB"); }
#endif

}  // namespace
}  // namespace moesim
