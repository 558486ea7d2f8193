#include "traces/formats/recognition/top_level_keys.hpp"

namespace stepcast {
namespace {

constexpr std::size_t kLongestKey = 256;

}  // namespace

std::optional<char> TopLevelKeys::take() {
  if (used_ == filled_) {
    used_ = 0;
    filled_ = source_.read(buffer_);
    if (filled_ == 0)
      return std::nullopt;
  }
  return buffer_[used_++];
}

/// Behind the opening quote, up to the closing one; the front of what is longer than any key.
std::string TopLevelKeys::text_in_quotes() {
  std::string text;
  for (auto c = take(); c && *c != '"'; c = take()) {
    if (*c == '\\')
      c = take();
    if (c && text.size() < kLongestKey)
      text += *c;
  }
  return text;
}

std::optional<std::string> TopLevelKeys::next() {
  for (auto c = take(); c; c = take()) {
    switch (*c) {
      case '"': {
        const std::string text = text_in_quotes();
        if (expects_key_ && depth_ == 1) {
          expects_key_ = false;
          return text;
        }
        break;
      }
      case '{':
      case '[':
        if (depth_++ == 0)
          expects_key_ = *c == '{';
        break;
      case '}':
      case ']':
        if (depth_ < 2)
          return std::nullopt;
        --depth_;
        break;
      case ',':
        expects_key_ = expects_key_ || depth_ == 1;
        break;
      default:
        if (depth_ == 0 && *c != ' ' && *c != '\t' && *c != '\r' && *c != '\n')
          return std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace stepcast
