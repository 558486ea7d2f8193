#pragma once

#include <string_view>
#include <vector>

namespace stepcast {

/// Without blanks, tabs and line ends around it.
inline std::string_view trimmed(std::string_view text) {
  if (!text.empty() && text.front() > ' ' && text.back() > ' ')
    return text;
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == text.npos)
    return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

/// The parts of a text between separators, empty ones too; at least one.
inline std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t end = text.find(separator); end != text.npos; end = text.find(separator)) {
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.push_back(text);
  return parts;
}

}  // namespace stepcast
