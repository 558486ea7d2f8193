#include <string>

#include <gtest/gtest.h>

#include "tests/support/input_error.hpp"
#include "traces/formats/stepcast/workload_file.hpp"

namespace stepcast {
namespace {

constexpr std::string_view kSmall = R"({
  "format": "stepcast-workload",
  "version": 1,
  "name": "net-gpu-bs4",
  "model": "net",
  "device": "gpu",
  "batch": 4,
  "precision": "fp16",
  "batch_scaling": "proportional",
  "provenance": {
    "kind": "assumed",
    "source": "a test",
    "notes": [
      "one"
    ]
  },
  "update_s": 0.0005,
  "layers": [
    {"name": "a", "kind": "Conv2d", "forward_s": 0.001, "backward_s": 0.00225, "parameters": [{"name": "w", "elements": 12, "dtype": "fp16"}], "activation_bytes": 1644167168, "macs": 1849688064},
    {"name": "b", "kind": "ReLU", "forward_s": 0, "backward_s": 1e-07},
    {"name": "c", "kind": "Add", "forward_s": 0, "backward_s": 0}
  ],
  "edges": [
    [0, 1], [0, 2], [1, 2]
  ]
}
)";

/// kSmall with its first `from` replaced.
std::string with(std::string_view from, std::string_view to) {
  std::string text(kSmall);
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string error_of(const std::string& text) {
  return input_error_of([&] { parse_workload(text, "w.json"); });
}

TEST(WorkloadReader, ReadsEveryField) {
  const Workload workload = parse_workload(kSmall, "w.json");
  EXPECT_EQ(workload.name, "net-gpu-bs4");
  EXPECT_EQ(workload.batch, 4U);
  EXPECT_EQ(workload.precision, "fp16");
  EXPECT_EQ(workload.batch_scaling, BatchScaling::Proportional);
  EXPECT_EQ(workload.provenance.source, "a test");
  ASSERT_EQ(workload.layers.size(), 3U);
  EXPECT_EQ(workload.layers[0].backward, Seconds{0.00225});
  EXPECT_EQ(workload.update, Seconds{0.0005});
  EXPECT_EQ(workload.layers[0].parameters.at(0).dtype, DataType::Float16);
  EXPECT_EQ(workload.layers[0].activation, Bytes{1644167168});
  EXPECT_EQ(workload.layers[0].macs, 1849688064.0);
  EXPECT_TRUE(workload.layers[1].parameters.empty());
  EXPECT_EQ(workload.edges.size(), 3U);
}

TEST(WorkloadWriter, WritesWhatTheReaderReadByteForByte) {
  EXPECT_EQ(to_json_text(parse_workload(kSmall, "w.json")), kSmall);
}

TEST(WorkloadWriter, QuotesNamesWithSpecialCharacters) {
  Workload workload = parse_workload(kSmall, "w.json");
  workload.layers[0].name = "a\"\\\n\xc3\xa9";
  EXPECT_EQ(parse_workload(to_json_text(workload), "w.json").layers[0].name,
            workload.layers[0].name);
}

// By PyTorch's names a weight of a convolution is a matrix, and "w" is none.
TEST(WorkloadWriter, AShapeIsWrittenWhereTheNameDoesNotTellIt) {
  const std::string shaped = with(R"("dtype": "fp16")", R"("dtype": "fp16", "shape": "matrix")");
  const Workload workload = parse_workload(shaped, "w.json");
  EXPECT_TRUE(workload.layers[0].parameters.at(0).matrix);
  EXPECT_FALSE(parse_workload(kSmall, "w.json").layers[0].parameters.at(0).matrix);
  EXPECT_EQ(to_json_text(workload), shaped);
  const std::string named = with(R"("name": "w")", R"("name": "weight")");
  EXPECT_TRUE(parse_workload(named, "w.json").layers[0].parameters.at(0).matrix);
  EXPECT_EQ(to_json_text(parse_workload(named, "w.json")), named);
}

TEST(WorkloadWriter, WritesNegativeZeroAsZero) {
  Workload workload = parse_workload(kSmall, "w.json");
  workload.layers[2].forward = Seconds{-0.0};
  EXPECT_EQ(to_json_text(workload), kSmall);
}

TEST(WorkloadReader, FieldsWithADefaultMayBeAbsent) {
  std::string text =
      with("  \"precision\": \"fp16\",\n  \"batch_scaling\": \"proportional\",\n", "");
  const Workload workload = parse_workload(text, "w.json");
  EXPECT_EQ(workload.precision, "fp32");
  EXPECT_EQ(workload.batch_scaling, BatchScaling::Unknown);
}

TEST(WorkloadReader, WithoutAnUpdateNoneIsWritten) {
  const std::string text = with("  \"update_s\": 0.0005,\n", "");
  const Workload workload = parse_workload(text, "w.json");
  EXPECT_EQ(workload.update, Seconds{});
  EXPECT_EQ(to_json_text(workload), text);
}

TEST(WorkloadReader, AnInputPipelineIsReadAndWritten) {
  const std::string line = "  \"update_s\": 0.0005,\n";
  const std::string text = with(line, line + "  \"input_per_sample_s\": 0.00025,\n");
  const Workload workload = parse_workload(text, "w.json");
  EXPECT_EQ(workload.input, Seconds{0.00025});
  EXPECT_EQ(to_json_text(workload), text);
}

TEST(WorkloadReader, APipelineIsReadAndWritten) {
  std::string text(kSmall);
  const std::string pipeline = R"(  "recorded_pipeline": {
    "stages": 3,
    "micro_batches": 8,
    "copies": 2,
    "tensor": 1,
    "context": 1,
    "schedule": "1f1b",
    "optimiser": "shared",
    "norm_s": 0.001,
    "tied_bytes": 40,
    "parts": [
      {"gathered_bytes": 1, "update_s": 0.5, "before_sums_s": 0, "once_s": 0},
      {"gathered_bytes": 2, "update_s": 0, "before_sums_s": 2, "once_s": 0.25},
      {"gathered_bytes": 0, "update_s": 0, "before_sums_s": 0, "once_s": 0}
    ]
  },
)";
  text.insert(text.find("  \"layers\""), pipeline);
  EXPECT_EQ(to_json_text(parse_workload(text, "w.json")), text);
  const auto error = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    return input_error_of([&] { parse_workload(changed, "w.json"); });
  };
  EXPECT_EQ(error("\"stages\": 3", "\"stages\": 2"),
            "w.json: /recorded_pipeline/stages: expected a divisor of the 3 layers, found 2");
  EXPECT_EQ(
      error("\"1f1b\"", "\"ddp\""),
      "w.json: /recorded_pipeline/schedule: expected a schedule that cuts the model, such as 1f1b, "
      "found \"ddp\"");
  EXPECT_EQ(
      error("\"shared\"", "\"none\""),
      "w.json: /recorded_pipeline/optimiser: expected \"whole\" or \"shared\", found \"none\"");
  EXPECT_EQ(
      error(
          ",\n      {\"gathered_bytes\": 0, \"update_s\": 0, \"before_sums_s\": 0, \"once_s\": 0}",
          ""),
      "w.json: /recorded_pipeline/parts: expected one for each of 3 layers, found 2");
  EXPECT_EQ(error("\"tied_bytes\": 40", "\"tied_bytes\": 1e10"),
            "w.json: /recorded_pipeline/tied_bytes: expected at most 48, the bytes of gradients of "
            "parts 0 and 2 together, of which they are a part, found 10000000000");
}

TEST(WorkloadReader, LaunchesOfALayerAreReadAndWritten) {
  const std::string text =
      with("\"macs\": 1849688064",
           "\"macs\": 1849688064, \"forward_launches\": 2, \"backward_launches\": 3");
  const Workload workload = parse_workload(text, "w.json");
  EXPECT_EQ(workload.layers[0].forward_launches, 2U);
  EXPECT_EQ(workload.layers[0].backward_launches, 3U);
  EXPECT_EQ(to_json_text(workload), text);
  EXPECT_EQ(error_of(with("\"macs\": 1849688064", "\"forward_launches\": 2000000")),
            "w.json: /layers/0/forward_launches: expected at most 1048576, found 2000000");
}

TEST(WorkloadReader, OtherFormatsAndVersionsAreRefused) {
  EXPECT_EQ(error_of(with("stepcast-workload", "stepcast-cluster")),
            "w.json: /format: expected \"stepcast-workload\", found \"stepcast-cluster\"");
  EXPECT_EQ(error_of(with("\"version\": 1", "\"version\": 2")),
            "w.json: /version: expected 1, found 2");
}

TEST(WorkloadReader, UnknownKeyNamesTheNearest) {
  EXPECT_EQ(error_of(with("\"macs\"", "\"mac\"")),
            "w.json: /layers/0: unknown key \"mac\"; did you mean \"macs\"?");
  EXPECT_EQ(error_of(with("\"forward_s\"", "\"foward_s\"")),
            "w.json: /layers/0/forward_s: missing; was \"foward_s\" meant?");
}

TEST(WorkloadReader, TimesAreNumbersNotBelowZero) {
  EXPECT_EQ(error_of(with("\"forward_s\": 0.001", "\"forward_s\": -1")),
            "w.json: /layers/0/forward_s: expected a time in seconds of at least 0, found -1");
  EXPECT_EQ(error_of(with("\"forward_s\": 0.001", "\"forward_s\": \"1ms\"")),
            "w.json: /layers/0/forward_s: expected a time in seconds of at least 0, found "
            "\"1ms\"");
  EXPECT_EQ(error_of(with("\"update_s\": 0.0005", "\"update_s\": -2")),
            "w.json: /update_s: expected a time in seconds of at least 0, found -2");
  EXPECT_NE(error_of(with("\"forward_s\": 0.001", "\"forward_s\": NaN")), "no error");
  EXPECT_NE(error_of(with("\"forward_s\": 0.001", "\"forward_s\": 1e999")), "no error");
}

TEST(WorkloadReader, CountsStartAtOne) {
  EXPECT_EQ(error_of(with("\"elements\": 12", "\"elements\": 0")),
            "w.json: /layers/0/parameters/0/elements: expected a whole number of at least 1, found "
            "0");
  EXPECT_EQ(error_of(with("\"batch\": 4", "\"batch\": 0")),
            "w.json: /batch: expected a whole number of at least 1, found 0");
  EXPECT_EQ(error_of(with("\"batch\": 4", "\"batch\": 4294967296")),
            "w.json: /batch: expected at most 4294967295, found 4294967296");
}

TEST(WorkloadReader, WordsOfAListAreListed) {
  EXPECT_EQ(error_of(with("\"dtype\": \"fp16\"", "\"dtype\": \"fp23\"")),
            "w.json: /layers/0/parameters/0/dtype: expected one of \"fp64\", \"fp32\", \"fp16\", "
            "\"bf16\", \"int8\", found \"fp23\"");
  EXPECT_EQ(error_of(with(R"("dtype": "fp16")", R"("shape": "cube")")),
            "w.json: /layers/0/parameters/0/shape: expected \"matrix\" or \"vector\", found "
            "\"cube\"");
  EXPECT_EQ(error_of(with("\"proportional\"", "\"linear\"")),
            "w.json: /batch_scaling: expected one of \"unknown\", \"proportional\", found "
            "\"linear\"");
  EXPECT_NE(error_of(with("\"precision\": \"fp16\"", "\"precision\": \"fp17\"")), "no error");
}

// Reports print it in full: 200,000 bytes in each of their lines.
TEST(WorkloadReader, TheNameOfAWorkloadIsBounded) {
  const auto named = [](std::size_t length) {
    return with("\"net-gpu-bs4\"", '"' + std::string(length, 'w') + '"');
  };
  EXPECT_EQ(error_of(named(1024)), "no error");
  EXPECT_EQ(error_of(named(1025)),
            "w.json: /name: expected a name of at most 1024 bytes, found 1025 bytes");
}

TEST(WorkloadReader, LayerNamesDiffer) {
  EXPECT_EQ(error_of(with("\"name\": \"b\"", "\"name\": \"a\"")),
            "w.json: /layers/1/name: expected a name of its own, found \"a\" a second time");
}

TEST(WorkloadReader, EdgesLeadForwardBetweenLayers) {
  EXPECT_EQ(error_of(with("[1, 2]", "[1, 3]")),
            "w.json: /edges/2: expected layer numbers from 0 to 2, found [1,3]");
  EXPECT_EQ(error_of(with("[1, 2]", "[2, 1]")),
            "w.json: /edges/2: expected the producer before the consumer, found [2, 1]");
  EXPECT_EQ(error_of(with("[1, 2]", "[1, 1]")),
            "w.json: /edges/2: expected the producer before the consumer, found [1, 1]");
  EXPECT_EQ(error_of(with("[1, 2]", "[0, 1]")),
            "w.json: /edges/2: expected each edge once, found [0, 1] a second time");
  EXPECT_EQ(error_of(with("[1, 2]", "[1]")),
            "w.json: /edges/2: expected two layer numbers such as [0, 1]");
  EXPECT_NE(error_of(with("[1, 2]", "[-1, 2]")), "no error");
  EXPECT_NE(error_of(with("[1, 2]", "[0.5, 2]")), "no error");
}

TEST(WorkloadReader, AtLeastOneLayerTakesTime) {
  std::string text(kSmall);
  const std::size_t begin = text.find("\"layers\"");
  const std::string head = text.substr(0, begin);
  EXPECT_EQ(error_of(head + "\"layers\": []}"),
            "w.json: /layers: expected at least one layer, found none");
  EXPECT_EQ(error_of(head + R"("layers": [{"name": "a", "kind": "k", "forward_s": 0,
                                           "backward_s": 0}]})"),
            "w.json: /layers: expected times above zero, found zero for every layer");
}

TEST(WorkloadReader, EveryTruncationIsOneLineOfError) {
  for (std::size_t size = 0; size + 2 < kSmall.size(); ++size) {
    const std::string error = error_of(std::string(kSmall.substr(0, size)));
    EXPECT_EQ(error.find("w.json: "), 0U) << error;
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
  }
}

}  // namespace
}  // namespace stepcast
