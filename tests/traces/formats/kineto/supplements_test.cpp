// Files without times beside a profiler's trace. Each step of the small trace has gradients of 100
// and 50 elements, in this order, and one all-reduce of both (600 B).

#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/support/input_error.hpp"
#include "tests/support/recorded_data.hpp"
#include "tests/traces/formats/kineto/small_trace.hpp"
#include "traces/formats/import.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {
namespace {

namespace fs = std::filesystem;

using Elements = std::vector<std::uint64_t>;

/// The small trace without the shapes of its gradients.
std::string shapeless() {
  return all_replaced(small_trace(), "{\"Input Dims\": [[", "{\"x\": [[");
}

/// The small trace without any note of a collective's size.
std::string sizeless() {
  return all_replaced(all_replaced(shapeless(), "\"Collective name\"", "\"x\""), "msg nelems", "y");
}

/// The gradients of an execution trace.
TraceSupplement execution_trace(const std::vector<SuppliedGradient>& gradients) {
  return {.origin = "e.json", .gradients = gradients, .buckets = {}};
}

TraceSupplement buckets(const std::vector<Bytes>& sizes) {
  return {.origin = "b.json", .gradients = {}, .buckets = sizes};
}

struct Imported {
  Workload workload;
  ImportReport report;

  /// Elements of linear's gradients, then of conv2d's.
  Elements elements() const {
    Elements all;
    for (const char* name : {"linear-0", "conv2d-0"})
      for (const Layer& layer : workload.layers)
        if (layer.name == name)
          for (const Parameter& tensor : layer.parameters)
            all.push_back(tensor.elements);
    return all;
  }
  bool notes(const std::string& text) const {
    return std::ranges::find(workload.provenance.notes, text) != workload.provenance.notes.end();
  }
};

Imported import_with(const std::string& text, const TraceSupplement& supplement) {
  Imported imported;
  imported.workload =
      import_kineto(text, {.batch = 8, .supplements = {supplement}}, imported.report);
  return imported;
}

TEST(Supplements, ShapesOfAnExecutionTraceAreJoinedByOrder) {
  const Imported imported = import_with(shapeless(), execution_trace({{0, 100}, {0, 50}}));
  EXPECT_EQ(imported.elements(), (Elements{100, 50}));
  EXPECT_TRUE(imported.report.clean());
  EXPECT_TRUE(imported.notes(
      "gradient sizes (fp32): execution trace e.json: 0 joined by their calls' numbers, 4 by "
      "order"));
}

TEST(Supplements, AnExecutionTraceMayHoldSeveralEqualSteps) {
  EXPECT_EQ(
      import_with(shapeless(), execution_trace({{0, 100}, {0, 50}, {0, 100}, {0, 50}})).elements(),
      (Elements{100, 50}));
  const Imported unequal =
      import_with(shapeless(), execution_trace({{0, 100}, {0, 50}, {0, 50}, {0, 100}}));
  EXPECT_EQ(unequal.elements(), (Elements{150}));  // By the bucket, as without.
  EXPECT_EQ(unequal.report.doubtful()
                .at("step whose gradients are not those of the execution trace")
                .count,
            2U);
}

TEST(Supplements, ShapesAreJoinedByTheNumbersOfTheCallsWhereBothHaveThem) {
  // The calls of either step are 7 and 9; in the execution trace they are in another order.
  const std::string text =
      all_replaced(all_replaced(shapeless(), "{\"x\": [[10, 10]]}", "{\"Record function id\": 7}"),
                   "{\"x\": [[50]]}", "{\"Record function id\": 9}");
  const Imported imported = import_with(text, execution_trace({{9, 50}, {8, 3}, {7, 100}}));
  EXPECT_EQ(imported.elements(), (Elements{100, 50}));
  EXPECT_TRUE(imported.notes(
      "gradient sizes (fp32): execution trace e.json: 4 joined by their calls' numbers, 0 by "
      "order"));
}

TEST(Supplements, RecordedShapesStayAndADifferenceIsDoubtful) {
  const Imported imported = import_with(small_trace(), execution_trace({{0, 100}, {0, 51}}));
  EXPECT_EQ(imported.elements(), (Elements{100, 50}));
  EXPECT_EQ(
      imported.report.doubtful().at("gradient of another shape than in the execution trace").count,
      2U);
  EXPECT_TRUE(imported.notes("gradient sizes (fp32): recorded shapes"));
}

TEST(Supplements, ABucketListSizesReductionsOfUnknownSize) {
  const Imported alone = import_with(sizeless(), {});
  EXPECT_EQ(alone.elements(), Elements{});
  EXPECT_EQ(alone.report.doubtful().at("collective without a recorded size").count, 2U);
  const Imported imported = import_with(sizeless(), buckets({Bytes{600}}));
  EXPECT_EQ(imported.elements(), (Elements{150}));
  EXPECT_TRUE(imported.report.clean());
  EXPECT_TRUE(imported.notes("gradient buckets: 600 B"));
}

TEST(Supplements, ABucketListThatDoesNotFitIsDoubtful) {
  const Imported more = import_with(sizeless(), buckets({Bytes{400}, Bytes{200}}));
  EXPECT_EQ(more.report.doubtful()
                .at("step with another number of reductions than the list has buckets")
                .count,
            2U);
  const Imported other = import_with(small_trace(), buckets({Bytes{604}}));
  EXPECT_EQ(
      other.report.doubtful().at("reduction of another size than its bucket in the list").count,
      2U);
  EXPECT_TRUE(other.notes("gradient buckets: 600 B"));
}

TEST(Supplements, FilesAreToldApartByContent) {
  std::string name = (fs::temp_directory_path() / "stepcast-supplements-XXXXXX").string();
  const fs::path folder = ::mkdtemp(name.data());
  write_text_file(folder / "a", R"({"bucket_sizes": "600"})");
  write_text_file(folder / "b", sizeless());
  write_text_file(folder / "c", R"({"schema": "1", "nodes": [
    {"name": "torch::autograd::AccumulateGrad", "inputs": {"shapes": [[10, 10]]}},
    {"name": "torch::autograd::AccumulateGrad", "inputs": {"shapes": [[50]]}}]})");
  ImportReport report;
  const std::vector<fs::path> paths = {folder};
  const Imported imported{.workload = import_trace(paths, {.batch = 8}, report), .report = report};
  EXPECT_EQ(imported.elements(), (Elements{100, 50}));
  EXPECT_TRUE(imported.notes("gradient buckets: 600 B"));
  EXPECT_TRUE(report.clean());
  write_text_file(folder / "b", "digraph");
  const std::string error = input_error_of([&] { import_trace(paths, {}, report); });
  fs::remove_all(folder);
  EXPECT_NE(error.find("/b: expected a trace of a known format"), std::string::npos) << error;
}

TEST(Supplements, ShapesOfTheRecordedResnet50AgreeWithTheCopiesOutOfItsBuckets) {
  const std::vector<fs::path> paths = {
      recorded_data("kineto/hta_resnet50_ddp_2xa100_rank0.json.gz"),
      recorded_data("execution_traces/resnet_2gpu_et.json.gz")};
  for (const fs::path& path : paths)
    STEPCAST_SKIP_WITHOUT(path);
  ImportReport report;
  const Workload supplied = import_trace(paths, {.batch = 32}, report);
  const Workload by_copies = import_trace(paths.front(), {.batch = 32}, report);
  EXPECT_EQ(parameter_count(supplied), 25'557'032U);
  ASSERT_EQ(supplied.layers.size(), by_copies.layers.size());
  for (std::size_t i = 0; i < supplied.layers.size(); ++i) {
    const auto& layer = supplied.layers[i];
    EXPECT_TRUE(std::ranges::equal(layer.parameters, by_copies.layers[i].parameters, {},
                                   &Parameter::elements, &Parameter::elements))
        << layer.name;
  }
}

}  // namespace
}  // namespace stepcast
