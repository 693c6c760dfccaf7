#include "base/unit_text.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace moesim {
namespace {

template <class F>
std::string error_of(F f) {
  try {
    f();
  } catch (const InputError& e) {
    return e.what();
  }
  return "no error";
}

TEST(UnitText, BandwidthsInBitsAreEightTimesSmaller) {
  EXPECT_EQ(parse_bandwidth("400 Gb/s"), parse_bandwidth("50 GB/s"));
  EXPECT_EQ(parse_bandwidth("4.0 TB/s").count(), 4e12);
}

TEST(UnitText, SizesAreDecimalOrBinaryAndWhole) {
  EXPECT_EQ(parse_bytes("96 GB").count(), 96'000'000'000);
  EXPECT_EQ(parse_bytes("1.5 KiB").count(), 1536);
  EXPECT_EQ(parse_bytes("512B").count(), 512);
  // 0.017 has no exact binary fraction: the product with 1e12 is not whole, but what is meant is.
  for (std::int64_t n = 1; n < 10'000; ++n) {
    const std::string digits = std::to_string(n), padded = std::string(digits.size() < 4 ? 4 - digits.size() : 0, '0') + digits;
    EXPECT_EQ(parse_bytes(padded.substr(0, padded.size() - 3) + "." + padded.substr(padded.size() - 3) + " TB").count(), n * 1'000'000'000);
  }
}

TEST(UnitText, TimesAreExactPicoseconds) {
  EXPECT_EQ(parse_time("2 us"), 2 * kMicrosecond);
  EXPECT_EQ(parse_time("0.35 us"), 350 * kNanosecond);
  EXPECT_EQ(parse_time("1.1 ms").count(), 1'100'000'000);
  EXPECT_EQ(parse_time("1 h"), 3600 * kSecond);
  EXPECT_EQ(parse_time("2400 h"), 8'640'000 * kSecond);
  EXPECT_EQ(parse_time("0.1 ps"), kPicosecond);   // rounded up
  EXPECT_EQ(parse_time("0 s"), Time{0});
  EXPECT_EQ(error_of([] { parse_time("2401 h"); }), "found \"2401 h\", allowed is a time up to 100 days such as \"2 us\"");
}

TEST(UnitText, ErrorsNameWhatIsAllowed) {
  EXPECT_EQ(error_of([] { parse_bandwidth("450"); }), "found \"450\", allowed is a bandwidth such as \"450 GB/s\"; a unit is missing");
  EXPECT_EQ(error_of([] { parse_bytes("80 Gb"); }), "found \"80 Gb\", allowed is a size in bytes such as \"80 GB\"; a size cannot be in bits");
  EXPECT_EQ(error_of([] { parse_time("2 usec"); }), "found \"2 usec\", allowed is a time such as \"2 us\"");
  EXPECT_EQ(error_of([] { parse_bandwidth("450 GB/S"); }), "found \"450 GB/S\", allowed is a bandwidth such as \"450 GB/s\"; did you mean \"GB/s\"?");
  EXPECT_EQ(error_of([] { parse_bytes("0.5 B"); }), "found \"0.5 B\", allowed is a whole number of bytes up to 9 EB such as \"80 GB\"");
  for (const char* bad : {"", " ", "-1 GB", "nan GB", "inf GB", "1e999 GB", "1..2 GB", "0x10 GB", "GB", "+1 GB"})
    EXPECT_NE(error_of([&] { parse_bytes(bad); }), "no error") << bad;
}

TEST(UnitText, NumbersHaveThreeDigitsAndAReadableUnit) {
  EXPECT_EQ(to_text(Bytes{39'083'402'002}), "36.4 GiB");
  EXPECT_EQ(to_text(Bytes{999}), "999 B");
  EXPECT_EQ(to_text(12'340 * kMicrosecond), "12.3 ms");
  EXPECT_EQ(to_text(999'960 * kMicrosecond), "1.00 s");
  EXPECT_EQ(to_text(Bandwidth{450e9}), "450 GB/s");
  EXPECT_EQ(to_text(FlopRate{989e12}), "989 TFLOP/s");
  EXPECT_EQ(counted(1, "rank"), "1 rank");
  EXPECT_EQ(counted(0, "rank"), "0 ranks");
  EXPECT_EQ(counted(1, "class", "classes"), "1 class");
  EXPECT_EQ(counted(2, "class", "classes"), "2 classes");
  EXPECT_EQ(significant(1234567, 3), "1230000");
  EXPECT_EQ(significant(0.000123456, 2), "0.00012");
  EXPECT_EQ(significant(-999.6, 3), "-1000");
}

TEST(UnitText, BitsAndBytesSpelledOutAreTakenForTheirSign) {
  for (const auto& [found, meant] : {std::pair{"Gbit/s", "Gb/s"}, {"Gbits/s", "Gb/s"}, {"GBit/s", "Gb/s"}, {"Gbps", "Gb/s"}, {"gbps", "Gb/s"}, {"GBps", "GB/s"}, {"GByte/s", "GB/s"}})
    EXPECT_EQ(error_of([f = found] { parse_bandwidth(std::string("400 ") + f); }),
              std::string("found \"400 ") + found + "\", allowed is a bandwidth such as \"450 GB/s\"; did you mean \"" + meant + "\"?");
}

TEST(Nearest, ASwapOfNeighboursIsOneSlip) {
  const std::vector<std::string> commands{"train", "memory", "list"};
  EXPECT_EQ(nearest("trian", commands), "train");
  EXPECT_EQ(nearest("memroy", commands), "memory");
  EXPECT_EQ(nearest("xyz", commands), "");
  EXPECT_EQ(nearest("", commands), "");
  EXPECT_EQ(did_you_mean("lits", commands), "; did you mean \"list\"?");
}

TEST(Nearest, AnotherCaseIsHalfASlip) {
  EXPECT_EQ(nearest("QWEN3-30B-A3B", std::vector<std::string>{"qwen3-32b", "qwen3-30b-a3b"}), "qwen3-30b-a3b");
  EXPECT_EQ(nearest("gb/s", std::vector<std::string>{"b/s", "kb/s", "Gb/s"}), "Gb/s");
}

TEST(Nearest, TheBeginningOfANameSaysMoreThanALikenessButLessThanOneSlip) {
  const std::vector<std::string> models{"qwen3-32b", "qwen3-235b-a22b", "qwen3-235b-a22b-long", "alps-gh200"};
  EXPECT_EQ(nearest("qwen3-235b", models), "qwen3-235b-a22b");
  EXPECT_EQ(nearest("alps", models), "alps-gh200");
  EXPECT_EQ(nearest("qwen3-32", models), "qwen3-32b");
  EXPECT_EQ(nearest("list", std::vector<std::string>{"list-all", "lst"}), "lst");
}

TEST(Shortened, IsOneLineOfSixtyCharactersWithoutBrokenText) {
  EXPECT_EQ(shortened("a\nb\x7f\xff"), R"(a\x0ab\x7f\xff)");
  EXPECT_EQ(shortened("\u00b5s"), "\u00b5s");
  EXPECT_EQ(shortened(std::string(60, 'a')), std::string(60, 'a'));
  EXPECT_EQ(shortened(std::string(61, 'a')), std::string(60, 'a') + "...");
}

TEST(UnitText, WhatTheUnitMakesInfiniteIsTooLarge) {
  EXPECT_THROW(parse_bandwidth("1e308 Gb/s"), InputError);
  EXPECT_THROW(parse_flop_rate("1e308 TFLOP/s"), InputError);
  EXPECT_THROW(parse_bytes("1e308 GiB"), InputError);
  EXPECT_THROW(parse_time("1e308 s"), InputError);
}

}  // namespace
}  // namespace moesim
