#include "base/csv.h"

#include <gmock/gmock.h>

#include "base/error.h"

namespace moesim {
namespace {

using ::testing::ElementsAre;

std::string error_of(const std::string& text) {
  try {
    const CsvTable t = CsvTable::parse(text, "a.csv");
    for (std::size_t row = 0; row < t.rows(); ++row) (void)t.integer(row, 0, {1, 9}), (void)t.number(row, t.column("us"), {0, 1e6});
  } catch (const InputError& e) {
    return e.what();
  }
  return "accepted";
}

TEST(CsvTable, HasRemarksColumnsAndRows) {
  const CsvTable t = CsvTable::parse("# source: here\n#licence: MIT\nm, us,what\r\n1,2.5, a b \n\n  3,4e2,c", "a.csv");
  EXPECT_THAT(t.remarks(), ElementsAre("source: here", "licence: MIT"));
  EXPECT_THAT(t.columns(), ElementsAre("m", "us", "what"));
  ASSERT_EQ(t.rows(), 2U);
  EXPECT_EQ(t.integer(0, 0), 1);
  EXPECT_EQ(t.number(0, 1), 2.5);
  EXPECT_EQ(t.text(0, 2), "a b");
  EXPECT_EQ(t.number(1, t.column("us")), 400);
  EXPECT_TRUE(t.has("what"));
  EXPECT_FALSE(t.has("who"));
}

TEST(CsvTable, MayHaveNoRows) { EXPECT_EQ(CsvTable::parse("m,us", "a.csv").rows(), 0U); }

TEST(CsvTable, CellsMayBeEmpty) { EXPECT_EQ(CsvTable::parse("m,us\n,\n", "a.csv").text(0, 1), ""); }

TEST(CsvTable, CellsMayStandInQuotes) {
  const CsvTable t = CsvTable::parse("\"m\", \"us\" ,what\n\"7\",8,\" a, b \"\n\"\",2,c", "a.csv");
  EXPECT_EQ(t.integer(0, t.column("m")), 7);
  EXPECT_EQ(t.text(0, t.column("what")), "a, b");
  EXPECT_EQ(t.text(1, 0), "");
  EXPECT_EQ(error_of("m,us\n\"1,2"), "a.csv:2: found a quote that does not end on its line");
  EXPECT_EQ(error_of("m,us\n1,2\"3"), "a.csv:2: found the cell 2\"3, allowed are quotes around a cell alone");
  EXPECT_EQ(error_of("m,us\n1,\"2\"\"3\""), "a.csv:2: found the cell \"2\"\"3\", allowed are quotes around a cell alone");
}

TEST(CsvTable, StaysTheSameWhenMoved) {
  CsvTable a = CsvTable::parse("m\n7", "a.csv");
  const CsvTable b = std::move(a);
  EXPECT_EQ(b.integer(0, 0), 7);
}

TEST(CsvTable, SaysWhereAFaultIs) {
  EXPECT_EQ(error_of(""), "a.csv: found no line of column names");
  EXPECT_EQ(error_of("# only\n# remarks"), "a.csv: found no line of column names");
  EXPECT_EQ(error_of("m,us,m"), "a.csv:1: column \"m\" stands there twice");
  EXPECT_EQ(error_of("m,,us"), "a.csv:1: column 2 has no name");
  EXPECT_EQ(error_of("m,us\n1,2\n1,2,3"), "a.csv:3: found 3 cells, allowed is 2");
  EXPECT_EQ(error_of("m,uss\n1,2"), "a.csv: column \"us\": missing; did you mean \"uss\"?");
  EXPECT_EQ(error_of("#\nm,us\n0,2"), "a.csv:3: m: found \"0\", allowed is an integer from 1 to 9");
  EXPECT_EQ(error_of("m,us\n1.5,2"), "a.csv:2: m: found \"1.5\", allowed is an integer from 1 to 9");
  for (const std::string bad : {"", "x", "1 s", "nan", "inf", "0x10", "-1", "1e400", "1e7", "1e", "--1"})
    EXPECT_EQ(error_of("m,us\n1," + bad), "a.csv:2: us: found \"" + bad + "\", allowed is a number from 0 to 1000000") << bad;
}

}  // namespace
}  // namespace moesim
