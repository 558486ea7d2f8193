#pragma once

#include <string>
#include <utility>

namespace stepcast {

/// The text with the first `old_part` replaced. Throws std::out_of_range if it has none.
inline std::string replaced(std::string text, const std::string& old_part,
                            const std::string& new_part) {
  text.replace(text.find(old_part), old_part.size(), new_part);
  return text;
}

}  // namespace stepcast
