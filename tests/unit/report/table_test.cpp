#include "report/table.h"

#include <gtest/gtest.h>

namespace moesim {
namespace {

using enum Table::Align;

TEST(Table, HeadingsWidenNoColumn) {
  Table t({Table::Align::left, Table::Align::right});
  t.row({"a", "1"});
  t.heading("a heading that is long");
  t.row({"bc", "23"});
  EXPECT_EQ(t.text(0), "a    1\na heading that is long\nbc  23\n");
}

TEST(Table, AlignsColumnsAndCutsTrailingSpaces) {
  Table t({left, right, left});
  t.row({"a", "1", ""});
  t.row({"long", "100", "x"});
  EXPECT_EQ(t.text(2), "  a       1\n  long  100  x\n");
}

TEST(Table, CountsCharactersNotBytes) {
  Table t({left, right});
  t.row({"é", "1"});
  t.row({"ab", "2"});
  EXPECT_EQ(t.text(0), "é   1\nab  2\n");
  EXPECT_EQ(columns("█▏é"), 3u);
}

TEST(Bar, IsDrawnInEighths) {
  EXPECT_EQ(bar(0, 10), "");
  EXPECT_EQ(bar(0.5, 4), "██");
  EXPECT_EQ(bar(0.3125, 2), "▋");   // 5 of 16 eighths
  EXPECT_EQ(bar(7, 2), "██");
}

TEST(Wrap, BreaksAtWordsAndIndentsWhatFollows) {
  EXPECT_EQ(wrap("one two three", 9, 2), "one two\n  three");   // 2 + 7 columns
  EXPECT_EQ(wrap("a path/without/an/end b", 8, 2), "a\n  path/w\n  ithout\n  /an/en\n  d b");
  EXPECT_EQ(wrap("ééé", 3, 1), "éé\n é");
  EXPECT_EQ(wrap("unbreakable", 2, 2), "unbreakable");   // no room at all
  EXPECT_EQ(wrap("", 10, 2), "");
}

}  // namespace
}  // namespace moesim
