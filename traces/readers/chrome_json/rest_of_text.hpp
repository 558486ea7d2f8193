#pragma once

#include <cstddef>
#include <streambuf>
#include <string>
#include <utility>

namespace stepcast {

/// A text, then all that another buffer still holds.
class RestOfText final : public std::streambuf {
 public:
  RestOfText(std::string first, std::streambuf& then) : text_(std::move(first)), then_(then) {
    setg(text_.data(), text_.data(), text_.data() + text_.size());
  }

 protected:
  int_type underflow() override {
    constexpr std::size_t kChunk = std::size_t{1} << 16U;
    text_.resize(kChunk);
    const std::streamsize count = then_.sgetn(text_.data(), kChunk);
    setg(text_.data(), text_.data(), text_.data() + count);
    return count == 0 ? traits_type::eof() : traits_type::to_int_type(*gptr());
  }

 private:
  std::string text_;
  std::streambuf& then_;
};

}  // namespace stepcast
