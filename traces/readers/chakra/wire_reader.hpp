#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace stepcast {

/// Reads the wire format of protocol buffers, field by field.
class WireReader {
 public:
  struct Field {
    std::uint32_t number = 0;
    std::uint64_t value = 0;  ///< Of a whole number, or the bits of a fixed one.
    std::string_view bytes;   ///< Of a text or an inner message.
  };

  /// `start`: where `bytes` begin in the file, for messages.
  WireReader(std::string_view bytes, const std::string& origin, std::size_t start = 0)
      : bytes_(bytes), origin_(origin), start_(start) {}

  bool at_end() const { return at_ == bytes_.size(); }
  std::size_t position() const { return start_ + at_; }

  /// Throws InputError for a field that is cut off or of an unknown wire type.
  Field field();
  std::uint64_t varint();
  /// A length, then so many bytes.
  std::string_view delimited();

  [[noreturn]] void fail(const std::string& why) const;

 private:
  std::string_view take(std::uint64_t size);
  std::uint64_t fixed(std::size_t size);

  std::string_view bytes_;
  const std::string& origin_;
  std::size_t start_ = 0;
  std::size_t at_ = 0;
};

}  // namespace stepcast
