#include "traces/json/json_text.hpp"

#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "traces/json/provenance_json.hpp"

namespace stepcast {
namespace {

constexpr double kLargestExactInteger = 9007199254740992.0;  // 2^53

}  // namespace

char json_start(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos || (text[first] != '{' && text[first] != '['))
    return 0;
  // A text that ends with the bracket may be the front of either.
  const std::size_t inside = text.find_first_not_of(kSpace, first + 1);
  const std::string_view expected = text[first] == '{' ? "\"}" : "{\"]";
  const bool is_json =
      inside == std::string_view::npos || expected.find(text[inside]) != std::string_view::npos;
  return is_json ? text[first] : '\0';
}

std::string json_string(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string json_number(double value) {
  value += 0.0;  // Turns -0 into 0.
  const bool whole = value == std::floor(value) && std::abs(value) <= kLargestExactInteger;
  return whole ? fmt::format("{:.0f}", value) : fmt::format("{:.9g}", value);
}

JsonFileText::JsonFileText(std::string_view format) {
  text("format", format);
  number("version", 1);
}

void JsonFileText::json(std::string_view key, std::string_view value) {
  text_ += fmt::format("{}  \"{}\": {}", text_.empty() ? "{\n" : ",\n", key, value);
}

void JsonFileText::provenance(const Provenance& provenance) {
  const std::string flat =
      provenance_json(provenance).dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
  std::string indented;
  for (const char c : flat)
    indented += c == '\n' ? std::string("\n  ") : std::string(1, c);
  json("provenance", indented);
}

void JsonFileText::lines(std::string_view key, const std::vector<std::string>& entries) {
  json(key, entries.empty() ? "[]" : fmt::format("[\n    {}\n  ]", fmt::join(entries, ",\n    ")));
}

void JsonFileText::pairs(std::string_view key,
                         std::span<const std::pair<std::uint32_t, std::uint32_t>> all) {
  constexpr std::size_t kPerLine = 8;
  std::vector<std::string> rows;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i % kPerLine == 0)
      rows.emplace_back();
    rows.back() +=
        fmt::format("{}[{}, {}]", i % kPerLine == 0 ? "" : ", ", all[i].first, all[i].second);
  }
  lines(key, rows);
}

}  // namespace stepcast
