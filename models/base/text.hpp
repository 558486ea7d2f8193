#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/units.hpp"

namespace stepcast {

/// The candidate with the smallest edit distance, if close enough to be a likely typo; else "".
std::string nearest_name(std::string_view name, std::span<const std::string> candidates);

/// `; did you mean "dear"?` for a likely typo, else "".
std::string did_you_mean(std::string_view name, std::span<const std::string> candidates);

/// The user's text as an error message shows it: in double quotes, control characters replaced, cut
/// after 60 bytes, so that the message stays one line of bearable length.
std::string in_quotes(std::string_view text);

/// Quantities as users write them ("25MiB", SimGrid's syntax) and as reports print them ("25 MiB").
/// Each throws InputError: what was expected and found, to be prefixed with the file and field.
/// Times: "2us", "14.5us", "252.9ms", "1s" (ns, us, ms, s, m, h, d). Never negative, never NaN.
Seconds parse_seconds(std::string_view text);
/// Sizes: "25MiB", "4096", "1.5GB", "8kB" (none or B, kB, MB, GB, TB, KiB, MiB, GiB, TiB).
Bytes parse_bytes(std::string_view text);
/// Bandwidths: "10Gbps", "10 Gb/s" (bits), "12.5GBps", "12.5 GB/s" (bytes). Positive.
BytesPerSecond parse_bandwidth(std::string_view text);
/// A finite number; "30.0 %" is 0.3.
double parse_number(std::string_view text);
/// A whole number from `least` on.
std::uint32_t parse_count(std::string_view text, std::uint32_t least = 0);

/// Returns whether one of the parts is in the text.
bool holds_any(std::string_view text, std::initializer_list<std::string_view> parts);

std::string lower_case(std::string_view text);

/// Returns letters and digits in lower case: "AllReduce" and "all_reduce" become "allreduce".
std::string letters_and_digits(std::string_view text);

/// 12 of "step 12": the digits that a name ends with; nullopt: none, or too many.
std::optional<std::uint64_t> number_at_end(std::string_view name);

/// "313.7 ms", "14.5 us"; "25 MiB"; "1.16 GB/s": three to four significant digits.
std::string format_seconds(Seconds time);
std::string format_bytes(Bytes size);
std::string format_bandwidth(BytesPerSecond bandwidth);

}  // namespace stepcast
