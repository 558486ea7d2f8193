#include <gtest/gtest.h>

#include "tests/support/input_error.hpp"
#include "tests/support/recorded_data.hpp"
#include "tests/support/trace_folder.hpp"
#include "traces/formats/chakra/chakra_graph.hpp"
#include "traces/formats/import.hpp"
#include "traces/formats/recognition/recognised_file.hpp"

namespace stepcast {
namespace {

constexpr const char* kTiny = R"J({"workload_graph": [
{"Id": 1, "Name": "aten::conv2d(0)", "NodeType": 4, "runtime": 5, "data_deps": [], "is_cpu_op": true},
{"Id": 2, "Name": "conv", "NodeType": 4, "runtime": 100, "data_deps": [1], "is_cpu_op": false},
{"Id": 3, "Name": "aten::convolution_backward(0)", "NodeType": 4, "runtime": 5, "data_deps": [], "is_cpu_op": true},
{"Id": 4, "Name": "conv_a", "NodeType": 4, "runtime": 70, "data_deps": [3], "is_cpu_op": false},
{"Id": 5, "Name": "conv_b", "NodeType": 4, "runtime": 60, "data_deps": [3], "is_cpu_op": false},
{"Id": 6, "Name": "ncclKernel_AllReduce_RING_LL_Sum_float(x)", "NodeType": 7, "runtime": 30, "data_deps": [5], "is_cpu_op": false}
]})J";

// ---- the wire format, written by hand

std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7U)
    bytes += static_cast<char>(value | 0x80U);
  return bytes + static_cast<char>(value);
}
std::string number(std::uint32_t field, std::uint64_t value) {
  return varint(field << 3U) + varint(value);
}
std::string bytes(std::uint32_t field, const std::string& value) {
  return varint(field << 3U | 2U) + varint(value.size()) + value;
}
std::string message(const std::string& content) {
  return varint(content.size()) + content;
}
std::string attribute(const std::string& name, std::uint32_t field, std::uint64_t value) {
  return bytes(10, bytes(1, name) + number(field, value));
}

/// A host operator and an all-reduce of 4096 bytes that takes 30 us.
std::string tiny_protobuf() {
  return message(bytes(1, "0.0.4")) +
         message(number(1, 1) + bytes(2, "aten::add") + number(3, 4) + number(7, 5) +
                 attribute("is_cpu_op", 27, 1)) +
         message(number(1, 2) + bytes(2, "kernel") + number(3, 4) + bytes(5, varint(1)) +
                 number(7, 200) + attribute("is_cpu_op", 27, 0)) +
         message(number(1, 3) + bytes(2, "reduce") + number(3, 7) + number(5, 2) + number(7, 30) +
                 attribute("is_cpu_op", 27, 0) + attribute("comm_type", 9, 0) +
                 attribute("comm_size", 9, 4096));
}

Workload import_text(const std::string& text, ImportReport& report) {
  return chakra_reader().read({text_stream(text, "c")}, {.batch = 8}, report);
}

std::string error_of(const std::string& text) {
  ImportReport report;
  return input_error_of([&] { import_text(text, report); });
}

TEST(ChakraReader, ABackwardOperatorIsJoinedToItsForwardOne) {
  ImportReport report;
  const Workload workload = import_text(kTiny, report);
  ASSERT_EQ(workload.layers.size(), 1U);
  EXPECT_EQ(workload.layers[0].name, "conv2d-0");
  EXPECT_NEAR(workload.layers[0].forward.value, 100e-6, 1e-12);
  EXPECT_NEAR(workload.layers[0].backward.value, 130e-6, 1e-12);
  EXPECT_EQ(workload.provenance.notes.at(2),
            "1 collectives of 30 us on the device are left out: a schedule adds its own");
}

TEST(ChakraReader, InspectSumsByCategory) {
  ImportReport report;
  const TraceSummary summary = chakra_reader().inspect({text_stream(kTiny, "c")}, {}, report);
  ASSERT_EQ(summary.categories.size(), 3U);
  EXPECT_NEAR(summary.categories[0].time.value, 30e-6, 1e-12);   // communication
  EXPECT_NEAR(summary.categories[1].time.value, 230e-6, 1e-12);  // computation
  EXPECT_EQ(summary.collectives.at(0).kind, "all-reduce");
}

TEST(ChakraReader, ProtocolBuffersHoldTheSame) {
  const std::string text = tiny_protobuf();
  EXPECT_TRUE(chakra_reader().sniff(text));
  const auto nodes = parse_chakra_protobuf(text, "c");
  ASSERT_EQ(nodes.size(), 3U);
  EXPECT_TRUE(nodes[0].on_host);
  EXPECT_FALSE(nodes[1].on_host);
  EXPECT_EQ(nodes[1].data_dependencies, (std::vector<std::uint64_t>{1}));  // Packed.
  EXPECT_EQ(nodes[2].data_dependencies, (std::vector<std::uint64_t>{2}));  // Not packed.
  EXPECT_EQ(nodes[2].collective, CollectiveKind::AllReduce);
  EXPECT_EQ(nodes[2].size, Bytes{4096});
  ImportReport report;
  EXPECT_NEAR(forward_time(import_text(text, report)).value, 200e-6, 1e-12);
  EXPECT_EQ(parameter_count(import_text(text, report)), 0U);  // No backward pass: no gradients.
}

// Version and attributes, attributes alone, and attributes as the first field, as the layouts of
// 2024, 2023 and before have them; then a node of more bytes than the head that is looked at.
TEST(ChakraReader, EveryLayoutOfTheMetadataIsRecognised) {
  const std::string schema = bytes(1, "schema") + bytes(29, "1.0.1");
  const std::string pid = bytes(1, "pid") + number(13, 114598);
  const std::string node =
      number(1, 216) + bytes(2, "aten::add") + bytes(8, std::string(6000, 'x'));
  for (const std::string& metadata :
       {bytes(1, "0.0.4"), bytes(2, schema) + bytes(2, pid), bytes(1, schema) + bytes(1, pid),
        bytes(1, "0.0.4") + bytes(2, bytes(1, std::string(200, 'n')))}) {
    const std::string text = message(metadata) + message(node);
    EXPECT_TRUE(chakra_reader().sniff(text.substr(0, 4096)));
    EXPECT_EQ(parse_chakra_protobuf(text, "c").size(), 1U);
  }
  EXPECT_TRUE(chakra_reader().sniff(message("") + message(bytes(2, "node 0"))));
  EXPECT_FALSE(chakra_reader().sniff(message(number(1, 4)) + message(node)));
  EXPECT_FALSE(chakra_reader().sniff(message(bytes(1, "0.0.4")) + message(bytes(3, "x"))));
}

// Metadata of any size is looked through: converters put whole input files into it.
TEST(ChakraReader, AGraphWithLargeMetadataIsRecognised) {
  const TraceFolder folder;
  const std::string node = message(number(1, 3) + bytes(2, "aten::add") + number(3, 4));
  for (const std::size_t size : {4085U, 5000U, 262140U, 300'000U}) {
    const std::string schema = bytes(2, bytes(1, "schema") + bytes(29, "1.0.2"));
    const std::string input = bytes(2, bytes(1, "input_file") + bytes(29, std::string(size, ' ')));
    const std::string text = message(schema + input) + node;
    EXPECT_EQ(recognise(folder.text("a.et", text)).name(), "chakra") << size;
    const std::string cut = text.substr(0, std::min<std::size_t>(text.size(), 262'144));
    EXPECT_EQ(end_of_chakra_metadata(cut), text.size() - node.size()) << size;
    // Without a node behind it, or with a field that metadata has not, it is none.
    EXPECT_FALSE(recognise(folder.text("b.et", message(schema + input))).name()) << size;
    EXPECT_EQ(end_of_chakra_metadata(message(schema + number(3, 1) + input)), 0U);
  }
}

// The length of the first message may be the number of a brace, a bracket or a blank.
TEST(ChakraReader, AFirstMessageOfAnyLengthIsRecognised) {
  const TraceFolder folder;
  const std::string node = message(number(1, 3) + bytes(2, "aten::add") + number(3, 4));
  for (const std::size_t length : {9U, 10U, 13U, 32U, 34U, 91U, 123U}) {
    const std::string text = message(bytes(1, std::string(length - 2, '1'))) + node;
    ASSERT_EQ(static_cast<std::size_t>(text[0]), length);
    EXPECT_EQ(recognise(folder.text("a.et", text)).name(), "chakra") << length;
    EXPECT_EQ(parse_chakra(text, "c").size(), 1U) << length;
  }
}

TEST(ChakraReader, MessagesRunOnTheDeviceWhereNothingNotesAPlace) {
  const std::string sends = message(number(1, 0) + bytes(2, "COMM_SEND_NODE") + number(3, 5) +
                                    attribute("comm_size", 9, 4096));
  const std::string receives = message(number(1, 1) + bytes(2, "COMM_RECV_NODE") + number(3, 6));
  const std::string computes = message(number(1, 2) + bytes(2, "COMP_NODE") + number(3, 4));
  const std::string on_host =
      message(number(1, 3) + bytes(2, "op") + number(3, 4) + attribute("is_cpu_op", 27, 1));
  const auto generated =
      parse_chakra(message(bytes(1, "0.0.4")) + sends + receives + computes, "c");
  for (const ChakraNode& node : generated)
    EXPECT_FALSE(node.on_host) << node.name;
  // Computation without a note is the host's if other nodes note their places.
  const auto converted = parse_chakra(message(bytes(1, "0.0.4")) + sends + computes + on_host, "c");
  EXPECT_FALSE(converted[0].on_host);
  EXPECT_TRUE(converted[1].on_host);
  EXPECT_TRUE(converted[2].on_host);
}

TEST(ChakraReader, EveryCutOfAProtocolBufferIsRefusedOrShorter) {
  const std::string text = tiny_protobuf();
  for (std::size_t size = 1; size < text.size(); ++size) {
    try {
      EXPECT_LT(parse_chakra_protobuf(text.substr(0, size), "c").size(), 3U);
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("the data ends too early"), std::string::npos);
    }
  }
}

TEST(ChakraReader, BadInputIsNamed) {
  EXPECT_EQ(error_of(R"({"workload_graph": 1})"), "c: /workload_graph: expected a list of nodes");
  EXPECT_EQ(error_of(R"({"workload_graph": [{"Id": -1}]})"),
            "c: /workload_graph/0/Id: expected a whole number");
  EXPECT_EQ(
      error_of(R"({"workload_graph": [{"Id": 1, "Name": "a", "NodeType": 4, "runtime": -5}]})"),
      "c: /workload_graph/0/runtime: expected microseconds from 0 on");
  EXPECT_EQ(error_of(R"({"workload_graph": [{"Id": 1, "Name": "a", "NodeType": 4},
                                            {"Id": 1, "Name": "b", "NodeType": 4}]})"),
            "c: node 1: the number is there twice");
}

TEST(ChakraReader, DependenciesOnMissingNodesAreDoubtful) {
  ImportReport report;
  const std::string text = R"({"workload_graph": [{"Id": 1, "Name": "a", "NodeType": 4,
      "runtime": 5, "data_deps": [7], "is_cpu_op": false}]})";
  import_text(text, report);
  EXPECT_EQ(report.doubtful().count("dependency on a node that is not there"), 1U);
}

// 3,664 messages behind the first, of which 21 are of type 7 and 7 of these hold a comm_type.
TEST(ChakraReader, ReadsAGraphOfTheOlderSchema) {
  const auto path = recorded_data("execution_traces/chakra_schema_1.0.et");
  STEPCAST_SKIP_WITHOUT(path);
  ImportReport report;
  const TraceSummary summary = inspect_trace(std::span(&path, 1), {}, report);
  EXPECT_EQ(summary.format, "chakra");
  EXPECT_EQ(summary.facts.at(0).second, "3664");
  std::uint64_t collectives = 0;
  for (const CollectiveSummary& entry : summary.collectives)
    collectives += entry.count;
  EXPECT_EQ(collectives, 7U);
  const Workload workload = import_trace(path, {.batch = 32}, report);
  EXPECT_EQ(parameter_count(workload), 25'557'032U);  // Of ResNet-50, in the all-reduces' sizes.
}

}  // namespace
}  // namespace stepcast
