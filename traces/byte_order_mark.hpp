#pragma once

#include <string>
#include <string_view>

namespace stepcast {

/// The mark that Windows programs, such as Excel, write before a text in UTF-8.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// A text without the byte-order mark that it may begin with: whoever reads a file reads it so, and
/// no format has to know of the mark.
inline std::string without_byte_order_mark(std::string text) {
  if (text.starts_with(kByteOrderMark))
    text.erase(0, kByteOrderMark.size());
  return text;
}

}  // namespace stepcast
