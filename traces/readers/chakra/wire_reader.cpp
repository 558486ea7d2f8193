#include "traces/readers/chakra/wire_reader.hpp"

#include <fmt/format.h>

#include "models/base/error.hpp"

namespace stepcast {

void WireReader::fail(const std::string& why) const {
  throw InputError(fmt::format("{}: byte {}: {}", origin_, position(), why));
}

std::uint64_t WireReader::varint() {
  constexpr unsigned kBits = 64;
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < kBits; shift += 7) {
    const auto byte = static_cast<unsigned char>(take(1).front());
    value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
    if ((byte & 0x80U) == 0)
      return value;
  }
  fail("a number longer than 64 bits");
}

std::string_view WireReader::take(std::uint64_t size) {
  if (size > bytes_.size() - at_)
    fail("the data ends too early (is the file truncated?)");
  const std::string_view taken = bytes_.substr(at_, static_cast<std::size_t>(size));
  at_ += taken.size();
  return taken;
}

std::string_view WireReader::delimited() {
  return take(varint());
}

// Little-endian, whatever the machine.
std::uint64_t WireReader::fixed(std::size_t size) {
  const std::string_view taken = take(size);
  std::uint64_t value = 0;
  for (std::size_t i = size; i-- > 0;)
    value = value << 8U | static_cast<unsigned char>(taken[i]);
  return value;
}

WireReader::Field WireReader::field() {
  const std::uint64_t tag = varint();
  Field field{.number = static_cast<std::uint32_t>(tag >> 3U)};
  switch (tag & 7U) {
    case 0:
      field.value = varint();
      return field;
    case 1:
      field.value = fixed(8);
      return field;
    case 2:
      field.bytes = delimited();
      return field;
    case 5:
      field.value = fixed(4);
      return field;
    default:
      fail("no field of a protocol buffer");
  }
}

}  // namespace stepcast
