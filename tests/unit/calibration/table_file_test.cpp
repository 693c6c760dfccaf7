#include "calibration/table_file.h"

#include <gmock/gmock.h>

#include <fstream>

#include "base/error.h"

namespace moesim {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// "m,us\n1,2.5\n" by `xz -9`.
const unsigned char kPacked[] = {0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00, 0x00, 0x04, 0xe6, 0xd6, 0xb4, 0x46, 0x02, 0x00, 0x21, 0x01, 0x1c, 0x00, 0x00, 0x00, 0x10, 0xcf, 0x58, 0xcc, 0x01, 0x00, 0x0a, 0x6d, 0x2c, 0x75, 0x73, 0x0a, 0x31, 0x2c, 0x32, 0x2e, 0x35, 0x0a, 0x00, 0x00, 0x61, 0xd7, 0x5e, 0xda, 0x41, 0x81, 0x3e, 0x92, 0x00, 0x01, 0x23, 0x0b, 0xc2, 0x1b, 0xfd, 0x09, 0x1f, 0xb6, 0xf3, 0x7d, 0x01, 0x00, 0x00, 0x00, 0x00, 0x04, 0x59, 0x5a};
const std::string_view kXz(reinterpret_cast<const char*>(kPacked), sizeof kPacked);

std::string error_of(std::string_view packed, std::size_t most = 1000) {
  try {
    (void)unpacked_xz(packed, "a.csv.xz", most);
  } catch (const InputError& e) {
    return e.what();
  }
  return "accepted";
}

TEST(TableFile, UnpacksXz) { EXPECT_EQ(unpacked_xz(kXz, "a.csv.xz"), "m,us\n1,2.5\n"); }

TEST(TableFile, UnpacksEveryStreamOfAFile) { EXPECT_EQ(unpacked_xz(std::string(kXz) + std::string(kXz), "a.csv.xz"), "m,us\n1,2.5\nm,us\n1,2.5\n"); }

TEST(TableFile, SaysWhatIsWrongWithXz) {
  EXPECT_EQ(error_of(std::string(kXz) + "and more that is no xz"), "a.csv.xz: the xz data is damaged, or something else follows it");
  EXPECT_EQ(error_of("m,us\n1,2\n12345678901234567890"), "a.csv.xz: not an xz file");
  EXPECT_EQ(error_of(""), "a.csv.xz: the xz data is cut short");
  EXPECT_EQ(error_of(kXz.substr(0, kXz.size() - 5)), "a.csv.xz: the xz data is cut short");
  std::string damaged(kXz);
  damaged[damaged.size() / 2] ^= 0x40;
  EXPECT_THAT(error_of(damaged), StartsWith("a.csv.xz: "));
  EXPECT_EQ(error_of(kXz, 3), "a.csv.xz: more than 3 bytes when unpacked");
}

TEST(TableFile, HeadsAreRemarksAndColumnNames) {
  EXPECT_EQ(table_head("# a\n\n  # b\nx,y\n1,2\n"), "# a\n\n  # b\nx,y");
  EXPECT_EQ(table_head("x,y"), "x,y");
  EXPECT_EQ(table_head("# only\n# remarks\n"), "# only\n# remarks\n");
  EXPECT_EQ(table_head(""), "");
}

TEST(TableFile, ReadsPlainAndPackedTables) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "table_file";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "a.csv") << "m,us\n1,2.5\n";
  std::ofstream(folder / "a.csv.xz", std::ios::binary) << kXz;
  std::ofstream(folder / "spreadsheet.csv") << "\xEF\xBB\xBFm,us\n1,2.5\n";
  for (const char* name : {"a.csv", "a.csv.xz", "spreadsheet.csv"}) EXPECT_EQ(load_csv(folder / name).number(0, 1), 2.5) << name;
  for (const std::filesystem::path& bad : {folder, folder / "b.csv"})
    try {
      (void)load_csv(bad);
      FAIL() << bad;
    } catch (const InputError& e) {
      EXPECT_THAT(e.what(), HasSubstr(": cannot read: "));
    }
}

}  // namespace
}  // namespace moesim
