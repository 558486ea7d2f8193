#pragma once

#include <string>
#include <string_view>

namespace stepcast {

/// An example of `--help` for an error message: every run of white space becomes one space.
inline std::string on_one_line(std::string_view example) {
  std::string line;
  for (const char c : example) {
    const bool space = c == ' ' || c == '\n';
    if (!space)
      line += c;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  }
  return line;
}

}  // namespace stepcast
