#include "traces/formats/chrome_json/repaired_buffer.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <string_view>

namespace stepcast {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 16;
constexpr std::size_t kLongestEscape = 6;  // \u1234

bool is_hexadecimal(std::string_view digits) {
  return digits.size() == 4 && std::ranges::all_of(digits, [](char c) {
           return std::isxdigit(static_cast<unsigned char>(c)) != 0;
         });
}

/// Length of the JSON escape at the front of `text`; 1 if the backslash there begins none.
std::size_t escape_length(std::string_view text) {
  if (text.size() < 2)
    return 1;
  if (text[1] == 'u')
    return is_hexadecimal(text.substr(2, 4)) ? kLongestEscape : 1;
  return std::string_view("\"\\/bfnrt").find(text[1]) == std::string_view::npos ? 1 : 2;
}

}  // namespace

RepairedBuffer::RepairedBuffer(ByteSource& source)
    : source_(source), raw_(kChunk + kLongestEscape), text_(2 * raw_.size()) {}

RepairedBuffer::int_type RepairedBuffer::underflow() {
  if (gptr() == egptr() && !refill())
    return traits_type::eof();
  return traits_type::to_int_type(*gptr());
}

bool RepairedBuffer::refill() {
  std::size_t size = 0;
  while (size == 0 && !ended_) {
    const std::size_t count = source_.read(std::span(raw_).subspan(kept_, kChunk));
    ended_ = count == 0;
    size = copy_repaired(kept_ + count, ended_);
  }
  setg(text_.data(), text_.data(), text_.data() + size);
  filled_ += static_cast<std::int64_t>(size);
  return size > 0;
}

// An escape may be cut by the end of the chunk: its bytes are kept for the next one.
std::size_t RepairedBuffer::copy_repaired(std::size_t size, bool last) {
  std::size_t from = 0;
  std::size_t to = 0;
  while (from < size) {
    const auto* found =
        static_cast<const char*>(std::memchr(raw_.data() + from, '\\', size - from));
    const std::size_t stop =
        found == nullptr ? size : static_cast<std::size_t>(found - raw_.data());
    std::memcpy(text_.data() + to, raw_.data() + from, stop - from);
    to += stop - from;
    from = stop;
    if (from == size || (!last && size - from < kLongestEscape))
      break;
    const std::size_t length = escape_length({raw_.data() + from, size - from});
    if (length == 1) {
      text_[to++] = '\\';
      ++repaired_;
    }
    std::memcpy(text_.data() + to, raw_.data() + from, length);
    to += length;
    from += length;
  }
  kept_ = size - from;
  std::memmove(raw_.data(), raw_.data() + from, kept_);
  return to;
}

}  // namespace stepcast
