#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/collective/collective.hpp"
#include "traces/readers/reader.hpp"

namespace stepcast {

/// A node of a Chakra graph: an operator on the host, or work on a device.
struct ChakraNode {
  std::uint64_t id = 0;
  std::string name;
  std::optional<Seconds> start;  ///< Where it is recorded.
  Seconds duration{};
  bool on_host = true;
  bool communicates = false;
  std::optional<CollectiveKind> collective;
  Bytes size{};  ///< Of a collective; 0: not recorded.
  std::vector<std::uint64_t> data_dependencies;
};

/// The converter's JSON: "workload_graph", a list of nodes.
std::vector<ChakraNode> parse_chakra_json(std::string_view text, const std::string& origin);

/// The protocol buffers of Chakra's et_def.proto: messages, each behind its length, first
/// GlobalMetadata, then nodes. GlobalMetadata holds a version (field 1) and attributes (2), the
/// latter alone, or in the first layout attributes as field 1; nodes are the same in all. Decoded
/// by hand: nine fields of two messages are read, unknown ones passed over. Throws InputError
/// `<origin>: byte 12: ...` for what is cut off or damaged.
std::vector<ChakraNode> parse_chakra_protobuf(std::string_view bytes, const std::string& origin);

/// Whether these first bytes of a file are GlobalMetadata of any layout and, as far as they are
/// there, the number and the name of a node.
bool begins_as_chakra_protobuf(std::string_view head);

}  // namespace stepcast
