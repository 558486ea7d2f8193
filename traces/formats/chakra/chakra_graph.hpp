#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/collective/collective.hpp"
#include "traces/formats/reader.hpp"

namespace stepcast {

/// A node of a Chakra graph: an operator on the host, or work on a device.
struct ChakraNode {
  std::uint64_t id = 0;
  std::string name;
  std::optional<Seconds> start;  ///< Where it is recorded.
  Seconds duration{};
  bool on_host = true;  ///< Where nothing notes it: see settle_places().
  bool place_noted = false;
  bool communicates = false;
  bool computes = false;  ///< Neither communication nor metadata nor a load or store of memory.
  std::optional<CollectiveKind> collective;
  Bytes size{};  ///< Of a collective; 0: not recorded.
  std::vector<std::uint64_t> data_dependencies;
};

/// A graph in either form.
std::vector<ChakraNode> parse_chakra(std::string_view text, const std::string& origin);

/// Puts nodes whose place is not noted where they run: communication on the device, and in graphs
/// that note no place at all, as generators write them, computation too.
void settle_places(std::vector<ChakraNode>& nodes);

/// The converter's JSON: "workload_graph", a list of nodes.
std::vector<ChakraNode> parse_chakra_json(std::string_view text, const std::string& origin);

/// The protocol buffers of Chakra's et_def.proto: messages, each behind its length, first
/// GlobalMetadata, then nodes. GlobalMetadata holds a version (field 1) and attributes (2), the
/// latter alone, or in the first layout attributes as field 1; nodes are the same in all. Decoded
/// by hand: nine fields of two messages are read, unknown ones passed over. Throws InputError
/// `<origin>: byte 12: ...` for what is cut off or damaged.
std::vector<ChakraNode> parse_chakra_protobuf(std::string_view bytes, const std::string& origin);

/// Where the first message of a file ends, which may lie behind `head`, if it is GlobalMetadata as
/// far as it is there: fields of a version and of attributes that fill the length before them. 0:
/// it is none. Attributes may hold whole input files, so that no fixed window holds every message.
std::size_t end_of_chakra_metadata(std::string_view head);

/// Whether these first bytes of a file are GlobalMetadata of any layout, which they hold whole, and
/// the number and the name of a node.
bool begins_as_chakra_protobuf(std::string_view head);

}  // namespace stepcast
