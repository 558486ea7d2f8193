#include "models/base/utf8.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include <fmt/format.h>

#include "models/base/error.hpp"

namespace stepcast {

namespace {

/// The length and the allowed second byte that follow from the first byte of a character (Unicode
/// 15, table 3-7: no overlong forms, no surrogates, nothing past U+10FFFF). Length 0: not a first
/// byte.
struct Lead {
  std::size_t length;
  unsigned char least_second = 0x80;
  unsigned char greatest_second = 0xBF;
};

Lead lead_of(unsigned char byte) {
  if (byte < 0x80)
    return {1};
  if (byte < 0xC2)
    return {0};
  if (byte < 0xE0)
    return {2};
  if (byte == 0xE0)
    return {3, 0xA0, 0xBF};
  if (byte == 0xED)
    return {3, 0x80, 0x9F};
  if (byte < 0xF0)
    return {3};
  if (byte == 0xF0)
    return {4, 0x90, 0xBF};
  if (byte < 0xF4)
    return {4};
  if (byte == 0xF4)
    return {4, 0x80, 0x8F};
  return {0};
}

/// The length of the character that `text` begins with, 0 if it is malformed.
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const Lead lead = lead_of(byte(0));
  if (lead.length < 2)
    return lead.length;
  if (text.size() < lead.length)
    return 0;
  if (byte(1) < lead.least_second || byte(1) > lead.greatest_second)
    return 0;
  const std::string_view rest = text.substr(2, lead.length - 2);
  const bool whole = std::all_of(
      rest.begin(), rest.end(), [](char c) { return (static_cast<unsigned>(c) & 0xC0U) == 0x80U; });
  return whole ? lead.length : 0;
}

/// How many ASCII characters the text begins with, eight at a time: traces are long, and nearly all
/// ASCII.
std::size_t ascii_at(std::string_view text) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080U;
  std::size_t at = 0;
  for (std::uint64_t eight = 0; at + sizeof eight <= text.size(); at += sizeof eight) {
    std::memcpy(&eight, text.data() + at, sizeof eight);
    if ((eight & kHighBits) != 0)
      break;
  }
  while (at < text.size() && static_cast<unsigned char>(text[at]) < 0x80)
    ++at;
  return at;
}

}  // namespace

std::optional<std::size_t> first_invalid_utf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    at += ascii_at(text.substr(at));
    if (at == text.size())
      break;
    const std::size_t length = character_length(text.substr(at));
    if (length == 0)
      return at;
    at += length;
  }
  return std::nullopt;
}

std::string valid_utf8(std::string_view text) {
  std::string valid;
  while (const auto at = first_invalid_utf8(text)) {
    valid.append(text.substr(0, *at)).append("?");
    text.remove_prefix(*at + 1);
  }
  return valid.append(text);
}

std::string abridged(std::string_view text, std::size_t most) {
  if (text.size() <= most)
    return valid_utf8(text);
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U)
    --end;
  return valid_utf8(text.substr(0, end)) + "...";
}

std::string place_of(std::string_view text, std::size_t offset) {
  std::size_t line = 1;
  std::size_t column = 1;
  for (const char c : text.substr(0, offset)) {
    line += c == '\n' ? 1 : 0;
    column = c == '\n' ? 1 : column + 1;
  }
  return fmt::format("line {}, column {}", line, column);
}

void check_utf8(std::string_view text, std::string_view origin) {
  if (const auto offset = first_invalid_utf8(text))
    throw InputError(
        fmt::format("{}: {}: this byte is not UTF-8 text", origin, place_of(text, *offset)));
}

}  // namespace stepcast
