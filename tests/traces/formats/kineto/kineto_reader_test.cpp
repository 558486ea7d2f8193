#include <algorithm>

#include <gtest/gtest.h>

#include "tests/traces/formats/kineto/small_import.hpp"
#include "traces/formats/recognition/recognised_file.hpp"

namespace stepcast {
namespace {

using namespace small;

TEST(KinetoReader, LayersAreOperatorsWithTheTimeOfTheirKernels) {
  const Workload workload = import_small(small_trace());
  EXPECT_EQ(workload.name, "t-test-gpu-bs8");
  EXPECT_NEAR(layer_of(workload, "conv2d-0").forward.value, 100e-6, kExactTime);
  EXPECT_NEAR(layer_of(workload, "conv2d-0").backward.value, 100e-6, kExactTime);
  EXPECT_NEAR(layer_of(workload, "linear-0").forward.value, 50e-6, kExactTime);
  // The copy into the bucket belongs to the gradient that the node before it made.
  EXPECT_NEAR(layer_of(workload, "linear-0").backward.value, 70e-6, kExactTime);
  // The update, and the copies out of the bucket behind the backward graph.
  EXPECT_NEAR(workload.update.value, 130e-6, kExactTime);
}

TEST(KinetoReader, TheOptimizerIsNoLayerOfTheForwardPass) {
  const Workload workload = import_small(small_trace());
  // conv2d 100 us and linear 50 are the forward pass, beside waits for the host.
  EXPECT_NEAR((forward_time(workload) + backward_time(workload) - host_gap_time(workload)).value,
              (100 + 50 + 100 + 70) * 1e-6, kExactTime);
  for (const Layer& layer : workload.layers)
    EXPECT_NE(layer.kind, "Optimizer") << layer.name;
  // All of it is what the step computes.
  EXPECT_NEAR((compute_time(workload) - host_gap_time(workload)).value, 450e-6, kExactTime);
}

TEST(KinetoReader, AShippedDeviceIsCalledByItsOwnName) {
  const std::string text =
      all_replaced(small_trace(), "\"Test GPU\"", "\"NVIDIA GeForce RTX 2080 Ti\"");
  const Workload workload = import_small(text);
  EXPECT_EQ(workload.name, "t-rtx2080ti-bs8");
  EXPECT_TRUE(has_note(workload, "device by the trace: NVIDIA GeForce RTX 2080 Ti"));
  EXPECT_EQ(import_small(text, {.device = "mine"}).device, "mine");
}

TEST(KinetoReader, GapsInWhichTheDeviceWaitedForTheHostStayGaps) {
  ImportReport report;
  const Workload workload = import_kineto(small_trace(), {}, report);
  EXPECT_TRUE(report.clean());
  Seconds gaps{};
  for (const Layer& layer : workload.layers)
    if (layer.kind == "HostGap")
      gaps += layer.forward + layer.backward;
  // Idle before 35; 245 to 265, 275 to 310, 490 to 530; from 650 to the end at 1000. From 410 to
  // 480 it waits for the all-reduce.
  EXPECT_NEAR(gaps.value, (35 + 20 + 35 + 40 + 350) * 1e-6, kExactTime);
  const Workload dropped = import_small(small_trace(), {.drop_gaps = true});
  EXPECT_EQ(dropped.layers.size(), 2U);
}

TEST(KinetoReader, LayersGapsAndWaitsForCollectivesMakeUpTheStep) {
  const Workload workload = import_small(small_trace());
  // The step of 1000 us without the 70 us of waiting for the all-reduce.
  EXPECT_NEAR(compute_time(workload).value, 930e-6, kExactTime);
  EXPECT_TRUE(has_note(workload,
                       "the device waited 70 us a step for collectives: left out, a schedule adds "
                       "its own"));
}

TEST(KinetoReader, AStepBoundByTheHostIsNotedAsSuch) {
  // 480 us of gaps against 450 us of computation; without the tail of 350 us 130 us.
  EXPECT_TRUE(has_note(import_small(small_trace()),
                       "the device idled 480 us a step for the host: kept as layers of kind "
                       "HostGap; the step is bound by the host, which a profiler slows down: its "
                       "own pace is unknown"));
  const std::string shorter =
      all_replaced(without_lines(small_trace(), "ProfilerStep#1"), "\"ts\": 5000, \"dur\": 1000",
                   "\"ts\": 5000, \"dur\": 650");
  EXPECT_TRUE(
      has_note(import_small(shorter),
               "the device idled 130 us a step for the host: kept as layers of kind HostGap"));
}

TEST(KinetoReader, TheNotesTellTheSpreadOverTheSteps) {
  // conv2d's backward kernel takes 100 us in one step and 60 us in the other: 80 on average, with a
  // standard deviation of 28.28 us, 35.4 % of it; computation 450 and 410 us.
  const Workload workload = import_small(all_replaced(
      small_trace(), R"("name": "conv_backward", "pid": 0, "tid": 7, "ts": 5310, "dur": 100)",
      R"("name": "conv_backward", "pid": 0, "tid": 7, "ts": 5310, "dur": 60)"));
  EXPECT_TRUE(has_note(workload,
                       "computation on the device: 430 us (standard deviation 28.28 us, median 430 "
                       "us, 410 us to 450 us)"));
  EXPECT_TRUE(has_note(workload,
                       "standard deviation of a layer's time over the steps: 0.0 % of its mean "
                       "(median layer); most uneven of the long ones: conv2d-0 backward with 35.4 "
                       "%"));
}

TEST(KinetoReader, FirstStepsFarLongerThanMostAreAWarmUp) {
  // 3500 us before the one of 1000 us.
  const std::string text =
      all_replaced(small_trace(), "\"ts\": 5000, \"dur\": 1000", "\"ts\": 2500, \"dur\": 3500");
  ImportReport report;
  const Workload workload = import_kineto(text, {}, report);
  EXPECT_EQ(
      report.skipped().at("first step of more than twice the median time, as of a warm-up").count,
      1U);
  EXPECT_TRUE(has_note(workload, "recorded step on the device: 1 ms"));
}

TEST(KinetoReader, GradientsAreSizedByRecordedShapes) {
  const Workload workload = import_small(small_trace());
  EXPECT_EQ(layer_of(workload, "linear-0").parameters.at(0).elements, 100U);
  EXPECT_EQ(layer_of(workload, "conv2d-0").parameters.at(0).elements, 50U);
}

// The reductions of 150 elements are 300 B; recorded shapes have 100 and 50 elements, and a bucket
// without shapes is one gradient of 150 elements as well.
TEST(KinetoReader, GradientsHaveTheTypeThatTheirReductionsHave) {
  const std::string text =
      all_replaced(small_trace(), "\"dtype\": \"Float\"", "\"dtype\": \"BFloat16\"");
  ImportReport report;
  const Workload workload = import_kineto(text, {}, report);
  EXPECT_TRUE(report.clean());
  EXPECT_EQ(workload.precision, "bf16");
  EXPECT_EQ(parameter_size(workload), Bytes{300});
  EXPECT_TRUE(has_note(workload, "gradient sizes (bf16): recorded shapes"));
  std::string shapeless = all_replaced(text, ", \"Input Dims\": [[8", ", \"x\": [[8");
  shapeless = all_replaced(shapeless, "{\"Input Dims\": [[", "{\"x\": [[");
  const Workload by_bucket = import_small(shapeless, {.batch = 4});
  EXPECT_EQ(parameter_count(by_bucket), 150U);
  EXPECT_EQ(parameter_size(by_bucket), Bytes{300});
}

TEST(KinetoReader, AReplayKnowsTheBytesOfGradientsOfTwoBytes) {
  const std::string text =
      all_replaced(small_trace(), "\"dtype\": \"Float\"", "\"dtype\": \"c10::Half\"");
  ImportReport report;
  const auto steps = kineto_reader().record({text_stream(text, "t.json")}, report);
  ASSERT_EQ(steps.front().gradients.size(), 2U);
  EXPECT_EQ(steps.front().gradients[0].size, Bytes{200});
  EXPECT_EQ(steps.front().gradients[1].size, Bytes{100});
}

TEST(KinetoReader, TheNameOfAKernelTellsTheTypeThatItsArgumentsDoNot) {
  const std::string sizeless = all_replaced(small_trace(), "\"dtype\"", "\"x\"");
  EXPECT_EQ(import_small(all_replaced(sizeless, "_Sum_f32_", "_Sum_f16_")).precision, "fp16");
  ImportReport report;
  const Workload unknown = import_kineto(all_replaced(sizeless, "_Sum_f32_", "_"), {}, report);
  EXPECT_EQ(report.doubtful().at("gradients of an unknown type, taken as fp32").count, 1U);
  EXPECT_EQ(unknown.precision, "fp32");
  EXPECT_TRUE(has_note(unknown, "gradient sizes (fp32 assumed): recorded shapes"));
}

TEST(KinetoReader, WithoutShapesABucketIsOneGradientOfTheLayerBeforeIt) {
  std::string text = all_replaced(small_trace(), ", \"Input Dims\": [[8", ", \"x\": [[8");
  text = all_replaced(text, "{\"Input Dims\": [[", "{\"x\": [[");
  const Workload workload = import_small(text, {.batch = 4});
  EXPECT_TRUE(layer_of(workload, "linear-0").parameters.empty());
  ASSERT_EQ(layer_of(workload, "conv2d-0").parameters.size(), 1U);
  EXPECT_EQ(layer_of(workload, "conv2d-0").parameters.at(0).elements, 150U);
  EXPECT_EQ(import_error_of(text),
            "t.json: no shapes of inputs of convolutions or linear layers are recorded: give the "
            "samples per step with --batch");
}

TEST(KinetoReader, TheUsersBatchWinsOverTheShapes) {
  const Workload guessed = import_small(small_trace());
  EXPECT_EQ(guessed.batch, 8U);
  EXPECT_TRUE(
      has_note(guessed,
               "batch 8 guessed: 8 is the leading dimension of 4 of 4 inputs of convolutions and "
               "linear layers"));
  const Workload given = import_small(small_trace(), {.batch = 16});
  EXPECT_EQ(given.batch, 16U);
  EXPECT_TRUE(
      has_note(given,
               "batch 16 as given; the trace suggests 8: 8 is the leading dimension of 4 of 4 "
               "inputs of convolutions and linear layers"));
}

TEST(KinetoReader, TheFirstShapeInATraceIsNotItsBatch) {
  // An image of the data loader, 224 x 224, that an operator with an autograd number takes.
  const std::string image =
      R"({"ph": "X", "cat": "cpu_op", "name": "aten::permute", "pid": 1, "tid": 1, "ts": 5001, )"
      R"("dur": 1, "args": {"Sequence number": 0, "Input Dims": [[224, 224, 3], []]}},)"
      "\n";
  const std::string conv = R"({"ph": "X", "cat": "cpu_op", "name": "aten::conv2d", "pid": 1, )"
                           R"("tid": 1, "ts": 5010)";
  EXPECT_EQ(import_small(all_replaced(small_trace(), conv, image + conv)).batch, 8U);
}

TEST(KinetoReader, WithoutSequenceNumbersBackwardIsToldByTheThread) {
  const std::string text = all_replaced(small_trace(), "\"Sequence number\"", "\"number\"");
  const Workload workload = import_small(text, {.batch = 8});
  // No node can be joined to its operator: the work stays in the step, behind no layer.
  EXPECT_NEAR(compute_time(workload).value, 930e-6, kExactTime);
  ImportReport report;
  const TraceSummary summary = inspect_kineto(text, report);
  EXPECT_EQ(summary.categories.at(0).name, "backward");
  EXPECT_NEAR(summary.categories.at(0).time.value, 2 * 180e-6, kExactTime);
}

TEST(KinetoReader, LeafModulesAreLayersWhereTheyWereRecorded) {
  const std::string net =
      R"({"ph": "X", "cat": "python_function", "name": "nn.Module: Net_0", "pid": 1, "tid": 1, "ts": 5002, "dur": 100},
{"ph": "X", "cat": "python_function", "name": "nn.Module: Conv2d_7", "pid": 1, "tid": 1, "ts": 5005, "dur": 50},
{"ph": "X", "cat": "python_function", "name": "nn.Module: Net_0", "pid": 1, "tid": 1, "ts": 6002, "dur": 100},
{"ph": "X", "cat": "python_function", "name": "nn.Module: Conv2d_7", "pid": 1, "tid": 1, "ts": 6005, "dur": 50},
)";
  const std::string list = "\"traceEvents\": [\n";
  const Workload workload = import_small(all_replaced(small_trace(), list, list + net));
  EXPECT_EQ(layer_of(workload, "Conv2d_7").kind, "Conv2d");
  EXPECT_NEAR(layer_of(workload, "Conv2d_7").backward.value, 100e-6, kExactTime);
  EXPECT_EQ(layer_of(workload, "linear-0").kind, "linear");  // In no leaf module.
}

TEST(KinetoReader, RocmAndOldCategoryNamesMeanTheSame) {
  std::string text =
      all_replaced(small_trace(), "\"cudaLaunchKernel\"", "\"hipExtModuleLaunchKernel\"");
  text = all_replaced(text, "cudaDeviceSynchronize", "hipDeviceSynchronize");
  text = all_replaced(text, "\"cat\": \"kernel\"", "\"cat\": \"Kernel\"");
  text = all_replaced(text, "\"cat\": \"cpu_op\"", "\"cat\": \"Operator\"");
  text = all_replaced(text, "\"cat\": \"cuda_runtime\"", "\"cat\": \"Runtime\"");
  ImportReport report;
  EXPECT_EQ(import_kineto(text, {}, report).layers.size(),
            import_small(small_trace()).layers.size());
  EXPECT_TRUE(report.clean());
}

}  // namespace
}  // namespace stepcast
