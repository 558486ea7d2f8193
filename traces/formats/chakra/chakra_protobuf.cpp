#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "traces/formats/chakra/chakra_graph.hpp"
#include "traces/formats/kineto/kineto_trace.hpp"

namespace stepcast {

namespace {

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

constexpr double kMicrosecond = 1e-6;
constexpr std::uint64_t kLongest = 3'600'000'000;  // An hour in microseconds.
constexpr std::uint64_t kLargest = std::uint64_t{1} << 60;
constexpr std::uint64_t kComputation = 4;  // Of the node types; from the next one on they
constexpr std::uint64_t kSend = 5;         // communicate.

/// Fields of the metadata: a version, or an attribute in the first layout, and attributes.
constexpr std::uint64_t kFirstTag = 1U << 3U | 2U;
constexpr std::uint64_t kAttributeTag = 2U << 3U | 2U;

/// A node: id 1, name 2, type 3, control dependencies 4, data dependencies 5, start 6 and duration
/// 7 in microseconds, attributes 10.
enum NodeField : std::uint32_t {
  Id = 1,
  Name = 2,
  Type = 3,
  DataDeps = 5,
  Start = 6,
  Duration = 7,
  Attr = 10
};

/// An attribute: name 1, then one of the values: int32 7, int64 9, uint32 11, uint64 13, bool 27.
struct Attribute {
  std::string_view name;
  std::uint64_t value = 0;
};

Attribute attribute_of(std::string_view bytes, const std::string& origin, std::size_t start) {
  constexpr std::array<std::uint32_t, 5> kWhole = {7, 9, 11, 13, 27};
  Attribute attribute;
  WireReader reader(bytes, origin, start);
  while (!reader.at_end()) {
    const WireReader::Field field = reader.field();
    if (field.number == 1)
      attribute.name = field.bytes;
    for (const std::uint32_t number : kWhole)
      if (field.number == number)
        attribute.value = field.value;
  }
  return attribute;
}

/// Chakra's numbers of kinds of collectives, as far as they are ours.
std::optional<CollectiveKind> kind_of(std::uint64_t number) {
  switch (number) {
    case 0:
      return CollectiveKind::AllReduce;
    case 1:
      return CollectiveKind::Reduce;
    case 2:
      return CollectiveKind::AllGather;
    case 5:
      return CollectiveKind::Broadcast;
    case 6:
      return CollectiveKind::AllToAll;
    case 7:
      return CollectiveKind::ReduceScatter;
    default:
      return std::nullopt;
  }
}

void apply(const Attribute& attribute, ChakraNode& node) {
  if (attribute.name == "is_cpu_op") {
    node.on_host = attribute.value != 0;
    node.place_noted = true;
  } else if (attribute.name == "comm_type") {
    node.collective = kind_of(attribute.value);
  } else if (attribute.name == "comm_size" && attribute.value < kLargest) {
    node.size = Bytes{static_cast<double>(attribute.value)};
  }
}

// Numbers of a repeated field come packed into one, or one by one.
void add_dependencies(const WireReader::Field& field, const std::string& origin, std::size_t start,
                      ChakraNode& node) {
  if (field.bytes.empty()) {
    node.data_dependencies.push_back(field.value);
    return;
  }
  WireReader packed(field.bytes, origin, start);
  while (!packed.at_end())
    node.data_dependencies.push_back(packed.varint());
}

ChakraNode node_of(std::string_view bytes, const std::string& origin, std::size_t start) {
  ChakraNode node;
  bool kind_noted = false;
  WireReader reader(bytes, origin, start);
  while (!reader.at_end()) {
    const WireReader::Field field = reader.field();
    const std::size_t inside = reader.position() - field.bytes.size();
    switch (field.number) {
      case Id:
        node.id = field.value;
        break;
      case Name:
        node.name = field.bytes;
        break;
      case Type:
        node.communicates = field.value >= kSend;
        node.computes = field.value == kComputation;
        break;
      case DataDeps:
        add_dependencies(field, origin, inside, node);
        break;
      case Start:
        if (field.value > 0 && field.value < kLargest)
          node.start = Seconds{static_cast<double>(field.value) * kMicrosecond};
        break;
      case Duration:
        if (field.value > kLongest)
          reader.fail("a duration of more than an hour");
        node.duration = Seconds{static_cast<double>(field.value) * kMicrosecond};
        break;
      case Attr: {
        const Attribute attribute = attribute_of(field.bytes, origin, inside);
        kind_noted = kind_noted || attribute.name == "comm_type";
        apply(attribute, node);
        break;
      }
      default:
        break;
    }
  }
  if (node.communicates && !kind_noted)
    node.collective = collective_kind_of(node.name);
  return node;
}

}  // namespace

std::vector<ChakraNode> parse_chakra_protobuf(std::string_view bytes, const std::string& origin) {
  std::vector<ChakraNode> nodes;
  WireReader reader(bytes, origin);
  reader.delimited();  // GlobalMetadata
  while (!reader.at_end()) {
    const std::string_view message = reader.delimited();
    nodes.push_back(node_of(message, origin, reader.position() - message.size()));
  }
  return nodes;
}

std::size_t end_of_chakra_metadata(std::string_view head) {
  constexpr std::size_t kLongestFront = 20;  // Bytes of a field before its content.
  const std::string origin;
  std::uint64_t end = 0;
  std::uint64_t at = 0;
  try {
    WireReader reader(head, origin);
    const std::uint64_t size = reader.varint();
    at = reader.position();
    if (size > kLargest)
      return 0;
    end = at + size;
    while (at < std::min<std::uint64_t>(end, head.size())) {
      WireReader field(head.substr(at), origin, at);
      const std::uint64_t tag = field.varint();
      const std::uint64_t length = field.varint();
      if ((tag != kFirstTag && tag != kAttributeTag) || length == 0 || field.position() > end ||
          length > end - field.position())
        return 0;
      at = field.position() + length;
    }
    return static_cast<std::size_t>(end);
  } catch (const InputError&) {  // The head ends within what stands before a field's content.
    return end > head.size() && at + kLongestFront > head.size() ? static_cast<std::size_t>(end)
                                                                 : 0;
  }
}

bool begins_as_chakra_protobuf(std::string_view head) {
  const std::string origin;
  const std::size_t end = end_of_chakra_metadata(head);
  if (end == 0 || end > head.size())
    return false;
  try {
    WireReader reader(head.substr(end), origin);
    constexpr std::uint64_t kNameTag = Name << 3U | 2U;
    constexpr std::uint64_t kIdTag = Id << 3U;  // Not written where the number is zero.
    const std::uint64_t size = reader.varint();
    const std::uint64_t tag = reader.varint();
    if (tag == kIdTag)
      reader.varint();
    return size > 2 && (tag == kNameTag || (tag == kIdTag && reader.varint() == kNameTag));
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace stepcast
