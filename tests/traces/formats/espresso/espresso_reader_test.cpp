#include <filesystem>

#include <gtest/gtest.h>

#include "tests/support/input_error.hpp"
#include "tests/support/recorded_data.hpp"
#include "traces/formats/recognition/recognised_file.hpp"

namespace stepcast {
namespace {

constexpr const char* kTiny =
    R"({"models": {"tiny": [["fc.bias", 10, 0], ["fc.weight", 100, 30], ["conv.weight", 50, 20]]}})";

Workload import_text(const std::string& text, const ImportOptions& options, ImportReport& report) {
  return espresso_reader().read({text_stream(text, "e.json")}, options, report);
}

std::string error_of(const std::string& text, const ImportOptions& options = {.batch = 8}) {
  ImportReport report;
  return input_error_of([&] { import_text(text, options, report); });
}

TEST(EspressoReader, GapsBecomeTheBackwardTimesOfModules) {
  ImportReport report;
  const Workload workload = import_text(kTiny, {.batch = 8}, report);
  ASSERT_EQ(workload.layers.size(), 2U);
  EXPECT_EQ(workload.layers[0].name, "conv");  // Forward order.
  EXPECT_DOUBLE_EQ(workload.layers[0].backward.value, 20e-6);
  EXPECT_DOUBLE_EQ(workload.layers[1].backward.value, 30e-6);
  EXPECT_EQ(workload.layers[1].parameters[0].name, "fc.bias");  // Ready first.
  EXPECT_EQ(parameter_count(workload), 160U);
}

TEST(EspressoReader, TheForwardTimeIsAssumedAndSaidToBe) {
  ImportReport report;
  EXPECT_DOUBLE_EQ(forward_time(import_text(kTiny, {.batch = 8}, report)).value, 25e-6);
  EXPECT_FALSE(report.clean());
  ImportReport given;
  const ImportOptions options{.batch = 8, .forward_share = 0.4};
  EXPECT_DOUBLE_EQ(forward_time(import_text(kTiny, options, given)).value, 20e-6);
  EXPECT_TRUE(given.clean());
}

TEST(EspressoReader, BadInputIsNamed) {
  EXPECT_EQ(error_of(kTiny, {}), "e.json: the batch is not in the file: give it with --batch");
  EXPECT_EQ(error_of(R"({"models": {"a": [["x", 1, 1]], "b": [["x", 1, 1]]}})"),
            "e.json: give the model with --model: one of a, b");
  EXPECT_EQ(error_of(R"({"models": {"a": [["x", 1, -1]]}})"),
            "e.json: /models/a/0: expected [name, elements, microseconds]");
  EXPECT_EQ(error_of(R"({"models": {"a": [["x", 1, 0]]}})"),
            "e.json: expected times between gradients, found none above zero");
  EXPECT_EQ(error_of(R"({"models": []})"), "e.json: /models: expected models with their gradients");
}

TEST(EspressoReader, PublishedGapsAddUp) {
  const auto path = recorded_data("espresso/model_tensor_ready_gaps.json");
  STEPCAST_SKIP_WITHOUT(path);
  ImportReport report;
  const Workload workload =
      espresso_reader().read({file_stream(path)}, {.batch = 32, .model = "resnet50"}, report);
  EXPECT_EQ(parameter_count(workload), 25'557'032U);
  EXPECT_EQ(tensor_count(workload), 161U);
  EXPECT_NEAR(backward_time(workload).value, 63.533e-3, 1e-9);  // Sum of the file's numbers.
}

}  // namespace
}  // namespace stepcast
