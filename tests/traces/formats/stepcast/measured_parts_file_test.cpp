#include "traces/formats/stepcast/transformers/measured_parts_file.hpp"

#include <gtest/gtest.h>

#include "tests/support/input_error.hpp"
#include "traces/formats/stepcast/transformers/profiled_block.hpp"

namespace stepcast {
namespace {

std::string file_of(const std::string& rows, const std::string& shape = "") {
  return R"({"format": "stepcast-blocks", "version": 1, "device": "a100",
             "shape": {"hidden": 1024, "heads": 16)" +
         shape + R"(}, "provenance": {"kind": "measured", "source": "me"}, "rows": [)" + rows +
         "]}";
}

const std::string kRow =
    R"({"micro_batch": 2, "seq": 512, "tp": 4, "messages": "inside", "recompute": "full",
        "forward_s": 0.001, "input_gradient_s": 0.002, "weight_gradient_s": 0.0005})";

MeasuredParts parse(const std::string& text) {
  return parse_measured_parts(text, "f.json");
}

std::string error_of(const std::string& text) {
  return input_error_of([&] { parse(text); });
}

std::string error_of_row(const std::string& more) {
  return error_of(file_of(R"({"micro_batch": 2, "seq": 512, )" + more + "}"));
}

TEST(MeasuredPartsFile, HoldsHowAPartRanAndHowLong) {
  const MeasuredParts measured = parse(file_of(kRow));
  ASSERT_EQ(measured.rows.size(), 1U);
  const MeasuredPart& row = measured.rows.front();
  EXPECT_EQ(describe(row), "tp 4, micro-batch 2 of 512 tokens, recompute full");
  EXPECT_TRUE(row.with_messages);
  EXPECT_DOUBLE_EQ(row.backward.value, 0.0025);
  EXPECT_DOUBLE_EQ(row.weight_gradient->value, 0.0005);
  EXPECT_EQ(measured.provenance.source, "me");
}

TEST(MeasuredPartsFile, ComesBackAsItWasWritten) {
  const std::string text = to_json_text(parse(file_of(kRow, R"(, "gated": true)")));
  EXPECT_EQ(to_json_text(parse(text)), text);
}

TEST(MeasuredPartsFile, FaultsNameTheField) {
  EXPECT_EQ(error_of(file_of("")), "f.json: /rows: expected at least one row");
  EXPECT_EQ(error_of_row(R"("forward_s": 0, "backward_s": 1)"),
            "f.json: /rows/0/forward_s: expected a time above 0, found 0");
  EXPECT_EQ(error_of_row(R"("tp": 2, "forward_s": 1, "backward_s": 1, "messages": "both")"),
            "f.json: /rows/0/messages: expected inside (the times hold the part's own "
            "collectives) or outside (they do not), found \"both\"");
  EXPECT_NE(error_of_row(R"("tp": 2, "forward_s": 1, "backward_s": 1)").find("/rows/0/messages"),
            std::string::npos);
  EXPECT_EQ(error_of_row(R"("forward_s": 1, "backward_s": 1, "weight_gradient_s": 1)"),
            "f.json: /rows/0/backward_s: expected input_gradient_s and weight_gradient_s, or their "
            "sum alone");
  EXPECT_NE(error_of_row(R"("forward_s": 1, "weight_gradient_s": 1)").find("input_gradient_s"),
            std::string::npos);
  EXPECT_EQ(error_of_row(R"("part": "mlp", "forward_s": 1, "backward_s": 1)"),
            "f.json: /rows/0/part: expected block, expert-block, embedding or head, found "
            "\"mlp\"");
  EXPECT_EQ(error_of_row(R"("recompute": "half", "forward_s": 1, "backward_s": 1)"),
            "f.json: /rows/0/recompute: expected none, selective or full, found \"half\"");
  EXPECT_NE(error_of_row(R"("batch": 2, "forward_s": 1, "backward_s": 1)").find("batch"),
            std::string::npos);
  EXPECT_EQ(error_of(file_of(kRow + "," + kRow)),
            "f.json: /rows/1/part: expected each way to run it once, found the block twice "
            "(tp 4, micro-batch 2 of 512 tokens, recompute full)");
  EXPECT_EQ(error_of(file_of(kRow, R"(, "layers": 4)")),
            "f.json: /shape/layers: expected keys of a block's shape: hidden, heads, ffn, ...");
}

TEST(MeasuredPartsFile, TellsWhichOfAModelsKeysDiffer) {
  const MeasuredParts measured = parse(file_of(kRow, R"(, "ffn": 4096)"));
  Transformer shape{.hidden = 1024, .ffn = 4096, .heads = 16};
  EXPECT_EQ(difference_of_shape(measured, shape), std::nullopt);
  shape.ffn = 2048;
  EXPECT_EQ(difference_of_shape(measured, shape),
            "ffn: expected 2048, as in the model, found \"4096\"");
}

Workload profile_of_two_blocks() {
  Workload profile{.device = "a100", .provenance = {.source = "a trace"}};
  for (const char* name : {"first", "second"})
    profile.layers.push_back({.name = name, .forward = Seconds{2e-3}, .backward = Seconds{5e-3}});
  return profile;
}

TEST(ProfiledBlock, IsAShareOfTheStep) {
  const MeasuredParts measured =
      measured_parts_of(profile_of_two_blocks(),
                        {{"model", "gpt-22b"}, {"tp", "8"}, {"micro_batch", "4"}, {"blocks", "2"}});
  const MeasuredPart& row = measured.rows.front();
  EXPECT_DOUBLE_EQ(row.forward.value, 2e-3);
  EXPECT_DOUBLE_EQ(row.backward.value, 5e-3);
  EXPECT_EQ(describe(row), "tp 8, micro-batch 4 of 2048 tokens");
  EXPECT_FALSE(row.with_messages);
  EXPECT_EQ(measured.shape.at("hidden"), "6144");
}

TEST(ProfiledBlock, FaultsNameTheOption) {
  const auto error_with = [](const KeyValues& how) {
    return input_error_of([&] { measured_parts_of(profile_of_two_blocks(), how); });
  };
  EXPECT_EQ(error_with({{"model", "gpt-22c"}, {"micro_batch", "1"}}),
            "--block: model: expected a preset, such as llama-2-7b, found \"gpt-22c\"");
  EXPECT_NE(error_with({{"model", "gpt-22b"}}).find("--block: /rows/0/micro_batch"),
            std::string::npos);
  EXPECT_NE(error_with({{"hidden", "8"}, {"micro_batch", "1"}, {"seq", "8"}}).find("/shape/heads"),
            std::string::npos);
  EXPECT_NE(error_with({{"model", "gpt-22b"}, {"micro_batch", "1"}, {"blocks", "0"}}).find("0"),
            std::string::npos);
}

}  // namespace
}  // namespace stepcast
