#include <string>

#include <gtest/gtest.h>

#include "tests/support/input_error.hpp"
#include "traces/formats/import.hpp"
#include "traces/formats/recognition/recognised_file.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {
namespace {

using Edges = std::vector<std::pair<LayerId, LayerId>>;

constexpr const char* kBranched = STEPCAST_SOURCE_DIR "/tests/data/traces/branched-graph.txt";

Workload read(const std::string& text, const ImportOptions& options = {}) {
  ImportReport report;
  return pipedream_reader().read({text_stream(text, "g.txt")}, options, report);
}

std::string error_of(const std::string& text, const ImportOptions& options = {}) {
  return input_error_of([&] { read(text, options); });
}

std::string node(int number, const std::string& description, const std::string& forward = "1.000",
                 const std::string& parameters = "0.000") {
  return "node" + std::to_string(number) + " -- " + description +
         " -- forward_compute_time=" + forward +
         ", backward_compute_time=2.000, activation_size=80.000, parameter_size=" + parameters +
         "\n";
}

/// node1 -> node2, batch 2: the linear layer's output takes 80 = 2 x 10 x 4 bytes.
const std::string kLinear = "Linear(in_features=3, out_features=10, bias=False)";
const std::string kChain =
    node(1, "ReLU()") + node(2, kLinear, "1.000", "120.000") + "\tnode1 -- node2\n";

TEST(PipedreamReader, LayersComeInForwardOrderWithoutTheInput) {
  ImportReport report;
  const Workload workload = import_trace(kBranched, {}, report);
  std::vector<std::string> names;
  for (const Layer& layer : workload.layers)
    names.push_back(layer.name);
  const std::vector<std::string> expected = {"node2-Conv2d", "node3-BatchNorm2d", "node4-LSTM",
                                             "node5-Add", "node6-Linear"};
  EXPECT_EQ(names, expected);
  EXPECT_EQ(workload.edges, (Edges{{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 4}}));
  EXPECT_TRUE(report.clean());
  EXPECT_EQ(report.format, "pipedream");
}

TEST(PipedreamReader, TimesAreMillisecondsAndListsOfOutputsAreSummed) {
  ImportReport report;
  const Workload workload = import_trace(kBranched, {}, report);
  EXPECT_DOUBLE_EQ(workload.layers[0].forward.value, 2e-3);
  EXPECT_DOUBLE_EQ(workload.layers[2].backward.value, 2e-3);
  EXPECT_EQ(workload.layers[2].activation, Bytes{8192 + 128 + 128});
}

TEST(PipedreamReader, TensorsAddUpToTheBytesOfTheFile) {
  ImportReport report;
  const Workload workload = import_trace(kBranched, {}, report);
  const auto elements = [&](std::size_t layer, std::size_t tensor) {
    return workload.layers[layer].parameters.at(tensor).elements;
  };
  EXPECT_EQ(elements(0, 0), 108U);  // 3 x 4 x 3 x 3, no bias
  EXPECT_EQ(elements(1, 0), 4U);    // weight and bias of 4 channels
  EXPECT_EQ(elements(1, 1), 4U);
  EXPECT_EQ(workload.layers[2].parameters.at(0).name, "parameters");
  EXPECT_EQ(elements(2, 0), 160U);  // 640 bytes; the LSTM's text does not tell how they divide
  EXPECT_EQ(elements(4, 0), 40U);   // 4 x 10
  EXPECT_EQ(elements(4, 1), 10U);
  EXPECT_EQ(tensor_count(workload), 6U);
  EXPECT_EQ(parameter_size(workload), Bytes{200 + 432 + 32 + 640});
}

TEST(PipedreamReader, BatchFollowsFromTheLinearLayer) {
  ImportReport report;
  const Workload workload = import_trace(kBranched, {}, report);
  EXPECT_EQ(workload.batch, 8U);  // 320 bytes = 8 x 10 x 4
  EXPECT_EQ(workload.name, "branched-graph-pipedream-bs8");
}

TEST(PipedreamReader, MultiplyAccumulatesAreWeightsTimesPositions) {
  ImportReport report;
  const Workload workload = import_trace(kBranched, {}, report);
  // The convolution's output has 8192 / (8 x 4 channels x 4 bytes) = 64 positions a sample.
  EXPECT_EQ(workload.layers[0].macs, 64 * 108);
  EXPECT_EQ(workload.layers[4].macs, 40);
  EXPECT_EQ(workload.layers[1].macs, 0);
}

TEST(PipedreamReader, WarmUpOfTheFirstLayerIsFlaggedWithItsNumbers) {
  ImportReport report;
  const Workload workload = import_trace(kBranched, {}, report);
  // By the backward time: 1 ms of the others' 3.25 ms, whose forward is 1.75 ms: 0.538 ms, and
  // 2 / 0.538 = 3.7. (Add has no backward time and 0 ms.)
  const std::string& note = workload.provenance.notes.back();
  EXPECT_NE(note.find("warm-up outlier: node2-Conv2d takes 2.000 ms forward; 3.7 times"),
            std::string::npos)
      << note;
}

TEST(PipedreamReader, ChainNeedsNoEdges) {
  const Workload workload = read(kChain);
  EXPECT_EQ(workload.layers.size(), 2U);
  EXPECT_TRUE(workload.edges.empty());
  EXPECT_EQ(workload.batch, 2U);
}

TEST(PipedreamReader, LineEndingsOfWindowsAreAccepted) {
  std::string text;
  for (const char c : kChain)
    text += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_EQ(read(text).layers.size(), 2U);
}

TEST(PipedreamReader, BatchMustBeStatedIfTheFileDoesNotTell) {
  const std::string text = node(1, "ReLU()") + node(2, "ReLU()") + "\tnode1 -- node2";
  EXPECT_EQ(error_of(text), "g.txt: the batch is not in the file: give it with --batch");
  ImportReport report;
  const TraceSummary summary = pipedream_reader().inspect({text_stream(text, "g.txt")}, {}, report);
  EXPECT_EQ(summary.facts.at(2).second, "not in the file");
  EXPECT_EQ(read(text, {.batch = 32}).batch, 32U);
}

TEST(PipedreamReader, StatedBatchMustNotContradictTheFile) {
  EXPECT_EQ(read(kChain, {.batch = 2}).batch, 2U);
  EXPECT_NE(error_of(kChain, {.batch = 3}).find("contradicts"), std::string::npos);
}

TEST(PipedreamReader, OptionsNameModelDeviceAndSource) {
  const Workload workload = read(kChain, {.model = "m", .device = "v100", .source = "me"});
  EXPECT_EQ(workload.name, "m-v100-bs2");
  EXPECT_EQ(workload.provenance.source, "me");
}

TEST(PipedreamReader, NodeWithoutAFieldNamesTheLine) {
  const std::string text = kChain + "node3 -- ReLU() -- forward_compute_time=1.000, backward_co";
  EXPECT_EQ(error_of(text),
            "g.txt: line 4: expected backward_compute_time=..., found \"backward_co\" (is the file "
            "truncated?)");
}

TEST(PipedreamReader, NegativeAndNonNumericTimesNameTheLine) {
  EXPECT_EQ(error_of(node(1, "ReLU()", "-1.0")),
            "g.txt: line 1: forward_compute_time: expected a number of at least 0, found -1");
  EXPECT_EQ(error_of(node(1, "ReLU()", "nan")).find("g.txt: line 1: forward_compute_time: "), 0U);
  EXPECT_EQ(error_of(node(1, "ReLU()", "1e999")).find("g.txt: line 1: forward_compute_time: "), 0U);
}

TEST(PipedreamReader, ParametersMustBeWholeFloats) {
  const std::string rest = node(2, kLinear) + "\tnode1 -- node2";
  EXPECT_NE(error_of(node(1, "ReLU()", "1", "6.000") + rest).find("multiples of 4"),
            std::string::npos);
  EXPECT_NE(error_of(node(1, "ReLU()", "1", "6.5") + rest).find("line 1: expected parameter_size"),
            std::string::npos);
}

TEST(PipedreamReader, CycleNamesANodeOnIt) {
  const std::string text = node(1, "ReLU()") + node(2, "ReLU()") + node(3, "ReLU()") +
                           node(4, kLinear, "1.000", "120.000") +
                           "\tnode1 -- node2\n\tnode2 -- node3\n\tnode3 -- node2\n\tnode3 -- node4";
  const std::string error = error_of(text);
  EXPECT_NE(error.find("the edges form a cycle"), std::string::npos) << error;
  EXPECT_TRUE(error.find("node2 ") != std::string::npos ||
              error.find("node3 ") != std::string::npos)
      << error;
}

TEST(PipedreamReader, EdgeToAnUnknownNodeNamesTheLine) {
  EXPECT_EQ(error_of(kChain + "\tnode2 -- node7"),
            "g.txt: line 4: expected an edge between nodes of the file, found node7");
  EXPECT_EQ(error_of(kChain + "\tnode2 -- no"),
            "g.txt: line 4: expected a node such as \"node12\", found \"no\"");
}

TEST(PipedreamReader, NodeThatAppearsTwiceIsRefused) {
  EXPECT_EQ(error_of(node(1, "ReLU()") + node(1, "ReLU()")),
            "g.txt: line 2: expected each node once, found node1 a second time");
}

TEST(PipedreamReader, MissingEdgesAreTakenForTruncation) {
  EXPECT_EQ(error_of(kChain + node(3, "ReLU()")),
            "g.txt: line 4: node3 has no edge (is the file truncated?)");
}

TEST(PipedreamReader, ProfileThatTakesNoTimeIsRefused) {
  const std::string idle =
      " -- forward_compute_time=-0.0, backward_compute_time=0, activation_size=80, "
      "parameter_size=120";
  EXPECT_EQ(error_of("node1 -- " + kLinear + idle),
            "g.txt: expected times above zero with a finite sum");
}

TEST(PipedreamReader, ForeignLinesAreCounted) {
  ImportReport report;
  pipedream_reader().read({text_stream(kChain + "# comment\n\nwhat\n", "g.txt")}, {}, report);
  EXPECT_EQ(describe(report),
            std::vector<std::string>{
                "2 skipped: line that is neither a node nor an edge (first at line 4)"});
}

TEST(PipedreamReader, RepeatedEdgeIsCounted) {
  ImportReport report;
  pipedream_reader().read({text_stream(kChain + "\tnode1 -- node2\n", "g.txt")}, {}, report);
  EXPECT_EQ(report.skipped().at("edge that appears a second time").count, 1U);
}

TEST(PipedreamReader, LayerWithParametersAndHardlyAnyBackwardTimeIsDoubtful) {
  ImportReport report;
  // The linear layer's backward pass takes 2 ms, under 1 % of 500 ms.
  const std::string text =
      node(1, "ReLU()") + node(2, kLinear, "500.0", "120.000") + "\tnode1 -- node2";
  pipedream_reader().read({text_stream(text, "g.txt")}, {}, report);
  ASSERT_EQ(report.doubtful().size(), 1U);
  EXPECT_EQ(report.doubtful().begin()->second.first, "line 2");
}

TEST(PipedreamReader, EveryTruncationOfAFileIsReadOrRefused) {
  const std::string text = read_text_file(kBranched);
  for (std::size_t size = 0; size < text.size(); ++size) {
    const std::string error = error_of(text.substr(0, size));
    EXPECT_EQ(error.find('\n'), std::string::npos);
  }
  // Without its last edge, the file has a node without edges.
  EXPECT_NE(error_of(text.substr(0, text.rfind('\n'))), "no error");
}

}  // namespace
}  // namespace stepcast
