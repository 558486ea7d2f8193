#pragma once

#include <array>
#include <optional>
#include <string>

#include "traces/formats/chrome_json/byte_source.hpp"

namespace stepcast {

/// The keys of a JSON object one after the other, without what they hold: what tells a format may
/// stand behind any amount of other things. Reads no further than the key that it returns; damage
/// is for the reader to find.
class TopLevelKeys {
 public:
  explicit TopLevelKeys(ByteSource& source) : source_(source) {}

  /// Nothing at the end, and if the text is no object.
  std::optional<std::string> next();

 private:
  std::optional<char> take();
  std::string text_in_quotes();

  ByteSource& source_;
  std::array<char, 1U << 16U> buffer_{};
  std::size_t used_ = 0;
  std::size_t filled_ = 0;
  std::size_t depth_ = 0;
  bool expects_key_ = false;
};

}  // namespace stepcast
