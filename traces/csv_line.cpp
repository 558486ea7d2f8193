#include "traces/csv_line.hpp"

namespace stepcast {

std::vector<std::string> csv_values(std::string_view line) {
  std::vector<std::string> values(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
      values.back() += line[i++];
    else if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      values.emplace_back();
    else if (c != '\r')
      values.back() += c;
  }
  return values;
}

}  // namespace stepcast
