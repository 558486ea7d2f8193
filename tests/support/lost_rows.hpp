#pragma once
// Tables of which rows are lost at random.

#include <cstddef>
#include <random>
#include <string>

namespace stepcast {

/// Without this share of its rows, others for each seed.
inline std::string with_lost_rows(const std::string& whole, double share, unsigned seed) {
  std::string text = whole.substr(0, whole.find('\n') + 1);
  std::mt19937 random(seed);
  for (std::size_t at = text.size(); at < whole.size();) {
    const std::size_t end = whole.find('\n', at) + 1;
    if (static_cast<double>(random()) >= share * static_cast<double>(std::mt19937::max()))
      text += whole.substr(at, end - at);
    at = end;
  }
  return text;
}

}  // namespace stepcast
