#pragma once

#include <cstdint>
#include <streambuf>
#include <vector>

#include "traces/formats/chrome_json/byte_source.hpp"

namespace stepcast {

/// The text of a source as a stream buffer, with raw backslashes repaired: traces written on
/// Windows hold paths such as "C:\Users" as they are, which is no JSON. A backslash that begins no
/// JSON escape is doubled and counted. One that happens to begin an escape ("\new") cannot be told
/// from it and stays.
class RepairedBuffer final : public std::streambuf {
 public:
  explicit RepairedBuffer(ByteSource& source);

  std::uint64_t repaired() const { return repaired_; }

  /// Bytes that were read from it.
  std::int64_t position() const { return filled_ - (egptr() - gptr()); }

 protected:
  int_type underflow() override;

 private:
  bool refill();
  std::size_t copy_repaired(std::size_t size, bool last);

  ByteSource& source_;
  std::vector<char> raw_;
  std::vector<char> text_;
  std::size_t kept_ = 0;  // Bytes at the front of raw_ that wait for what follows them.
  bool ended_ = false;
  std::int64_t filled_ = 0;
  std::uint64_t repaired_ = 0;
};

}  // namespace stepcast
