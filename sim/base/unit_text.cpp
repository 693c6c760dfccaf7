#include "base/unit_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <locale>
#include <span>
#include <sstream>
#include <vector>

#include "base/error.h"

namespace moesim {
namespace {

struct Unit {
  std::string_view name;
  double scale;
};

constexpr std::array kBytes{Unit{"B", 1},       Unit{"kB", 1e3},          Unit{"KB", 1e3},     Unit{"MB", 1e6},
                            Unit{"GB", 1e9},    Unit{"TB", 1e12},         Unit{"KiB", 1024.0}, Unit{"MiB", 1024.0 * 1024},
                            Unit{"GiB", 1024.0 * 1024 * 1024}, Unit{"TiB", 1024.0 * 1024 * 1024 * 1024}};
constexpr std::array kBandwidths{Unit{"B/s", 1},      Unit{"kB/s", 1e3},    Unit{"MB/s", 1e6},   Unit{"GB/s", 1e9}, Unit{"TB/s", 1e12},
                                 Unit{"GiB/s", 1024.0 * 1024 * 1024},       Unit{"b/s", 0.125},  Unit{"kb/s", 125}, Unit{"Mb/s", 1.25e5},
                                 Unit{"Gb/s", 1.25e8}, Unit{"Tb/s", 1.25e11}};
constexpr std::array kPicoseconds{Unit{"ps", 1},   Unit{"ns", 1e3},    Unit{"us", 1e6}, Unit{"ms", 1e9},
                                  Unit{"s", 1e12}, Unit{"min", 60e12}, Unit{"h", 3600e12}};
constexpr std::array kRates{Unit{"FLOP/s", 1}, Unit{"GFLOP/s", 1e9}, Unit{"TFLOP/s", 1e12}, Unit{"PFLOP/s", 1e15}};

/// Bits, bytes and "ps" as these units write them: "Gbit/s" and "Gbps" as "Gb/s".
std::string abbreviated(std::string_view unit) {
  std::string out(unit);
  for (const auto& [from, to] : {std::pair{"ps", "/s"}, {"bits", "b"}, {"Bits", "b"}, {"bit", "b"}, {"Bit", "b"}, {"bytes", "B"}, {"Bytes", "B"}, {"byte", "B"}, {"Byte", "B"}})
    if (const std::size_t at = out.find(from); at != std::string::npos) out.replace(at, std::string_view(from).size(), to);
  return out;
}

[[noreturn]] void refuse(std::string_view text, std::string_view what, std::string_view example, const std::string& more = "") {
  throw InputError("found \"" + shortened(text) + "\", allowed is " + std::string(what) + " such as \"" + std::string(example) + "\"" + more);
}

/// Number and unit, split by optional spaces. The number is finite and >= 0, plain or with an exponent.
double parse(std::string_view text, std::span<const Unit> units, std::string_view what, std::string_view example) {
  const std::size_t end = text.find_first_not_of("0123456789.eE+-");
  // An "e" that starts a unit would be swallowed; no unit starts with one.
  const std::string number(text.substr(0, end));
  std::istringstream in(number);
  in.imbue(std::locale::classic());
  double value = 0;
  if (number.empty() || number.size() > 40 || !(in >> value) || in.peek() != std::istringstream::traits_type::eof()) refuse(text, what, example);
  if (!std::isfinite(value) || value < 0 || number[0] == '-' || number[0] == '+') refuse(text, what, example);
  std::string_view unit = end == std::string_view::npos ? "" : text.substr(end);
  unit.remove_prefix(std::min(unit.find_first_not_of(' '), unit.size()));
  for (const Unit& u : units)
    if (u.name == unit && std::isfinite(value * u.scale)) return value * u.scale;
    else if (u.name == unit) refuse(text, what, example, "; it is too large");
  if (unit.empty()) refuse(text, what, example, "; a unit is missing");
  std::vector<std::string> names;
  for (const Unit& u : units) names.emplace_back(u.name);
  refuse(text, what, example, did_you_mean(abbreviated(unit), names));
}

/// The whole number that a decimal such as 0.017 TB means: its binary fraction and the product miss it by a few parts in 2^53.
double whole_if_meant(double value) {
  const double whole = std::round(value);
  return std::abs(value - whole) <= 4e-16 * whole ? whole : value;
}

/// Three significant digits in the largest unit that keeps the number at or above one.
std::string scaled(double value, std::span<const Unit> units) {
  const Unit* best = &units.front();
  for (const Unit& u : units)
    if (std::abs(value) >= u.scale * 0.9995) best = &u;
  return significant(value / best->scale, 3) + " " + std::string(best->name);
}

}  // namespace

Bytes parse_bytes(std::string_view text) {
  if (text.ends_with("b") && !text.ends_with("ib")) refuse(text, "a size in bytes", "80 GB", "; a size cannot be in bits");
  const double value = whole_if_meant(parse(text, kBytes, "a size in bytes", "80 GB"));
  if (value > 9e18 || value != std::floor(value)) refuse(text, "a whole number of bytes up to 9 EB", "80 GB");
  return Bytes{static_cast<std::int64_t>(value)};
}

Bandwidth parse_bandwidth(std::string_view text) { return Bandwidth{parse(text, kBandwidths, "a bandwidth", "450 GB/s")}; }

Time parse_time(std::string_view text) {
  const double value = whole_if_meant(parse(text, kPicoseconds, "a time", "2 us"));
  if (value > 8.64e18) refuse(text, "a time up to 100 days", "2 us");
  return Time{static_cast<std::int64_t>(std::ceil(value))};
}

FlopRate parse_flop_rate(std::string_view text) { return FlopRate{parse(text, kRates, "a FLOP rate", "989 TFLOP/s")}; }

std::string counted(std::int64_t n, std::string_view one, std::string_view many) {
  return std::to_string(n) + " " + (n == 1 ? std::string(one) : many.empty() ? std::string(one) + "s" : std::string(many));
}

std::string significant(double value, int digits) {
  if (value == 0 || !std::isfinite(value)) return std::isfinite(value) ? "0" : value > 0 ? "inf" : std::isnan(value) ? "nan" : "-inf";
  // Round first in exponent form, so that 999.6 becomes 1000 and not 1e+03.
  std::array<char, 400> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.*e", digits - 1, value);
  const double rounded = std::strtod(buffer.data(), nullptr);
  const int exponent = std::atoi(std::string_view(buffer.data()).substr(std::string_view(buffer.data()).find('e') + 1).data());
  std::snprintf(buffer.data(), buffer.size(), "%.*f", std::max(0, digits - 1 - exponent), rounded);
  return buffer.data();
}

std::string to_text(Bytes b) {
  static constexpr std::array units{Unit{"B", 1}, Unit{"KiB", 1024.0}, Unit{"MiB", 1024.0 * 1024}, Unit{"GiB", 1024.0 * 1024 * 1024},
                                    Unit{"TiB", 1024.0 * 1024 * 1024 * 1024}};
  return b.count() > -1024 && b.count() < 1024 ? std::to_string(b.count()) + " B" : scaled(static_cast<double>(b.count()), units);
}

std::string to_text(Bandwidth b) {
  static constexpr std::array units{Unit{"B/s", 1}, Unit{"kB/s", 1e3}, Unit{"MB/s", 1e6}, Unit{"GB/s", 1e9}, Unit{"TB/s", 1e12}};
  return scaled(b.count(), units);
}

std::string to_text(Time t) {
  if (t.count() == 0) return "0 s";
  static constexpr std::array units{Unit{"ps", 1e-12}, Unit{"ns", 1e-9}, Unit{"us", 1e-6}, Unit{"ms", 1e-3}, Unit{"s", 1}};
  return scaled(seconds(t), units);
}

std::string to_text(FlopRate r) { return scaled(r.count(), kRates); }

}  // namespace moesim
