// Quantities as people write them: "450 GB/s", "400 Gb/s" (bits), "80 GB", "2 us", "989 TFLOP/s".
// GB = 1e9 bytes, GiB = 2^30. A bare number is an error, bits are allowed for bandwidths only, sizes must be whole
// bytes, and every value must be finite and >= 0. Parsers throw InputError whose text names what is allowed; the caller adds
// the place.
#pragma once

#include <string>
#include <string_view>

#include "base/units.h"

namespace moesim {

Bytes parse_bytes(std::string_view text);          // "96 GB", "40 MiB", "512 B"
Bandwidth parse_bandwidth(std::string_view text);  // "4.0 TB/s", "200 Gb/s"
Time parse_time(std::string_view text);            // "2 us", "350 ns", "1.5 ms"
FlopRate parse_flop_rate(std::string_view text);   // "989 TFLOP/s"

/// Three significant digits and the unit a person would choose: "36.4 GiB", "12.3 ms", "450 GB/s", "989 TFLOP/s".
std::string to_text(Bytes);       // binary units: memory is what they show
std::string to_text(Bandwidth);
std::string to_text(Time);
std::string to_text(FlopRate);

/// "1 rank", "3 ranks", "2 classes": `many` where it is not `one` and an s.
std::string counted(std::int64_t n, std::string_view one, std::string_view many = {});

/// `value` with `digits` significant digits, never in exponent form, the same on every platform.
std::string significant(double value, int digits);

}  // namespace moesim
