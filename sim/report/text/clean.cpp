#include "sim/report/text/clean.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace stepcast {
namespace {

unsigned char byte_at(std::string_view text, std::size_t at) {
  return at < text.size() ? static_cast<unsigned char>(text[at]) : 0;
}

/// Bytes of a control character or a mark of direction that begins here; 0: another character.
std::size_t unprintable_at(std::string_view text, std::size_t at) {
  const unsigned char first = byte_at(text, at);
  const unsigned char second = byte_at(text, at + 1);
  const unsigned char third = byte_at(text, at + 2);
  if ((first < 0x20 && first != '\n' && first != '\t') || first == 0x7F)
    return 1;
  if (first == 0xC2 && second >= 0x80 && second <= 0x9F)  // U+0080 to U+009F
    return 2;
  const bool turns = first == 0xE2 && ((second == 0x80 && third >= 0xAA && third <= 0xAE) ||
                                       (second == 0x81 && third >= 0xA6 && third <= 0xA9));
  return turns ? 3 : 0;
}

bool is_number(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc{} && stop == end;
}

bool looks_like_formula(std::string_view text) {
  constexpr std::string_view kBegins = "=+-@\t";
  return !text.empty() && kBegins.find(text.front()) != std::string_view::npos && text != "-" &&
         !is_number(text);
}

}  // namespace

std::string printable(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t bytes = unprintable_at(text, at);
    clean += bytes > 0 ? '?' : text[at];
    at += std::max<std::size_t>(bytes, 1);
  }
  return clean;
}

std::string csv_cell(std::string_view text) {
  std::string cell = printable(text);
  if (looks_like_formula(cell))
    cell.insert(0, 1, '\'');
  if (cell.find_first_of(",\"\n") == std::string::npos)
    return cell;
  std::string quoted = "\"";
  for (const char c : cell)
    quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string csv_line(const std::vector<std::string>& cells) {
  std::vector<std::string> written;
  for (const std::string& cell : cells)
    written.push_back(csv_cell(cell));
  return fmt::format("{}\n", fmt::join(written, ","));
}

std::string csv_number(double value) {
  return fmt::format("{}", value);
}

}  // namespace stepcast
