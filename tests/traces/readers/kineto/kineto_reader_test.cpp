#include "traces/readers/kineto/kineto_reader.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/support/input_error.hpp"
#include "tests/traces/readers/kineto/small_trace.hpp"

namespace stepcast {
namespace {

constexpr double kExact = 1e-12;

const Layer& layer_of(const Workload& workload, const std::string& name) {
  const auto found = std::ranges::find(workload.layers, name, &Layer::name);
  EXPECT_NE(found, workload.layers.end()) << name;
  return found == workload.layers.end() ? workload.layers.front() : *found;
}

bool has_note(const Workload& workload, const std::string& note) {
  const auto& notes = workload.provenance.notes;
  return std::ranges::find(notes, note) != notes.end();
}

Workload import_small(const std::string& text, const ImportOptions& options = {}) {
  ImportReport report;
  return import_kineto(text, options, report);
}

std::string error_of(const std::string& text, const ImportOptions& options = {}) {
  return input_error_of([&] { import_small(text, options); });
}

TEST(KinetoReader, LayersAreOperatorsWithTheTimeOfTheirKernels) {
  const Workload workload = import_small(small_trace());
  EXPECT_EQ(workload.name, "t-test-gpu-bs8");
  EXPECT_NEAR(layer_of(workload, "conv2d-0").forward.value, 100e-6, kExact);
  EXPECT_NEAR(layer_of(workload, "conv2d-0").backward.value, 100e-6, kExact);
  EXPECT_NEAR(layer_of(workload, "linear-0").forward.value, 50e-6, kExact);
  // The copy into the bucket belongs to the gradient that the node before it made.
  EXPECT_NEAR(layer_of(workload, "linear-0").backward.value, 70e-6, kExact);
  // The update, and the copies out of the bucket behind the backward graph.
  EXPECT_NEAR(workload.update.value, 130e-6, kExact);
}

TEST(KinetoReader, TheOptimizerIsNoLayerOfTheForwardPass) {
  const Workload workload = import_small(small_trace());
  // conv2d 100 us and linear 50 are the forward pass, beside waits for the host.
  EXPECT_NEAR((forward_time(workload) + backward_time(workload) - host_gap_time(workload)).value,
              (100 + 50 + 100 + 70) * 1e-6, kExact);
  for (const Layer& layer : workload.layers)
    EXPECT_NE(layer.kind, "Optimizer") << layer.name;
  // All of it is what the step computes.
  EXPECT_NEAR((compute_time(workload) - host_gap_time(workload)).value, 450e-6, kExact);
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
  EXPECT_NEAR(gaps.value, (35 + 20 + 35 + 40 + 350) * 1e-6, kExact);
  const Workload dropped = import_small(small_trace(), {.drop_gaps = true});
  EXPECT_EQ(dropped.layers.size(), 2U);
}

TEST(KinetoReader, LayersGapsAndWaitsForCollectivesMakeUpTheStep) {
  const Workload workload = import_small(small_trace());
  // The step of 1000 us without the 70 us of waiting for the all-reduce.
  EXPECT_NEAR(compute_time(workload).value, 930e-6, kExact);
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
  const auto steps = KinetoReader().record({text_stream(text, "t.json")}, report);
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
  EXPECT_EQ(error_of(text),
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
  EXPECT_NEAR(compute_time(workload).value, 930e-6, kExact);
  ImportReport report;
  const TraceSummary summary = inspect_kineto(text, report);
  EXPECT_EQ(summary.categories.at(0).name, "backward");
  EXPECT_NEAR(summary.categories.at(0).time.value, 2 * 180e-6, kExact);
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
  EXPECT_NEAR(layer_of(workload, "Conv2d_7").backward.value, 100e-6, kExact);
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

TEST(KinetoReader, StepsWithoutProfilerMarksLastFromOneAnnotationToTheNext) {
  ImportReport report;
  const TraceSummary summary =
      inspect_kineto(without_lines(small_trace(), "ProfilerStep#"), report);
  ASSERT_EQ(summary.steps.size(), 2U);
  EXPECT_NEAR(summary.steps[0].host.value, 1000e-6, kExact);  // Optimizer.step to the next.
  // From 500 to the end of the last work at 650; the host's synchronisation goes on until 655.
  EXPECT_NEAR(summary.steps[1].host.value, 150e-6, kExact);
  // On the device the first one begins with its host and ends with the copy until 1490; the second
  // is a part of a step. No period of the device was recorded: it is the host's.
  EXPECT_NEAR(summary.steps[0].duration.value, 990e-6, kExact);
  EXPECT_FALSE(summary.steps[1].whole);
  EXPECT_NEAR(summary.device_step->value, 1000e-6, kExact);
}

TEST(KinetoReader, AnAnnotationInsideAnotherOfItsNameIsNoStep) {
  const std::string inner =
      R"({"ph": "X", "cat": "user_annotation", "name": "pass", "pid": 1, "tid": 1, "ts": 5001, "dur": 900, "args": {}},
{"ph": "X", "cat": "user_annotation", "name": "pass", "pid": 1, "tid": 1, "ts": 5002, "dur": 800, "args": {}},
)";
  const std::string list = "\"traceEvents\": [\n";
  ImportReport report;
  const TraceSummary summary = inspect_kineto(
      all_replaced(without_lines(small_trace(), "ProfilerStep#"), list, list + inner), report);
  ASSERT_EQ(summary.steps.size(), 2U);
  EXPECT_EQ(summary.facts.at(1).second, "annotation \"Optimizer.step#SGD.step\"");
}

TEST(KinetoReader, WithoutAnnotationsAllIsOneStep) {
  ImportReport report;
  const TraceSummary summary =
      inspect_kineto(without_lines(small_trace(), "user_annotation"), report);
  ASSERT_EQ(summary.steps.size(), 1U);
  EXPECT_EQ(summary.steps[0].work, 16U);
  EXPECT_EQ(report.doubtful().at("trace without marks of steps, taken as one step").count, 1U);
}

TEST(KinetoReader, PytorchsOwnRecordsOfCollectivesAreNoSteps) {
  const std::string records =
      R"({"ph": "X", "cat": "user_annotation", "name": "nccl:all_reduce", "pid": 1, "tid": 2, "ts": 5005, "dur": 1, "args": {}},
{"ph": "X", "cat": "user_annotation", "name": "nccl:all_reduce", "pid": 1, "tid": 2, "ts": 5008, "dur": 1, "args": {}},
)";
  const std::string list = "\"traceEvents\": [\n";
  ImportReport report;
  const TraceSummary summary = inspect_kineto(
      all_replaced(without_lines(small_trace(), "ProfilerStep#"), list, list + records), report);
  EXPECT_EQ(summary.facts.at(1).second, "annotation \"Optimizer.step#SGD.step\"");
}

TEST(KinetoReader, CollectivesHaveKindSizeAndTime) {
  ImportReport report;
  const TraceSummary summary = inspect_kineto(small_trace(), report);
  ASSERT_EQ(summary.collectives.size(), 1U);
  EXPECT_EQ(summary.collectives[0].kind, "all-reduce");
  EXPECT_EQ(summary.collectives[0].size, Bytes{600});  // 150 floats
  EXPECT_EQ(summary.collectives[0].count, 2U);
  EXPECT_NEAR(summary.collectives[0].time.value, 140e-6, kExact);
  EXPECT_NEAR(summary.exposed_communication.value, 140e-6, kExact);
}

TEST(KinetoReader, ASizeThatTheKernelLacksComesFromTheOperatorAroundItsLaunch) {
  const std::string text =
      all_replaced(small_trace(), "\"stream\": 20, \"correlation\": 6, \"Collective name\"",
                   "\"stream\": 20, \"correlation\": 6, \"x\"");
  ImportReport report;
  EXPECT_EQ(inspect_kineto(text, report).collectives.at(0).size, Bytes{600});
  EXPECT_TRUE(report.clean());
}

// ---- bad input

TEST(KinetoReader, NegativeDurationsAreSkippedAndCounted) {
  ImportReport report;
  inspect_kineto(all_replaced(small_trace(), "\"dur\": 70,", "\"dur\": -70,"), report);
  EXPECT_EQ(report.skipped().at("event with a negative duration").count, 2U);
}

TEST(KinetoReader, EventsOfMoreThanADayAreSkippedAndCounted) {
  ImportReport report;
  inspect_kineto(all_replaced(small_trace(), "\"dur\": 70,", "\"dur\": 1e15,"), report);
  EXPECT_EQ(report.skipped().at("event of more than a day").count, 2U);
}

TEST(KinetoReader, EntriesThatAreNoEventsAreSkippedAndCounted) {
  const std::string list = "\"traceEvents\": [\n";
  ImportReport report;
  inspect_kineto(all_replaced(small_trace(), list, list + "7, null, \"a\", [1, [2]],\n"), report);
  EXPECT_EQ(report.skipped().at("entry of the list that is no event").count, 4U);
}

TEST(KinetoReader, ABatchBeyondReasonIsNotRecorded) {
  const std::string text = all_replaced(small_trace(), "[[8, 3", "[[4294967296, 3");
  EXPECT_EQ(import_small(all_replaced(text, "[[8, 10", "[[4294967296, 10"), {.batch = 2}).batch,
            2U);
}

TEST(KinetoReader, PartOfAStepIsNoneOfThoseThatAreAveraged) {
  // Marked by the optimizer, the second step ends with the optimizer's own work.
  ImportReport report;
  const Workload workload =
      import_kineto(without_lines(small_trace(), "ProfilerStep#"), {.batch = 8}, report);
  EXPECT_EQ(report.skipped().at("step with other layers than most").first, "step 1");
  EXPECT_NEAR(layer_of(workload, "conv2d-0").forward.value, 100e-6, kExact);
}

TEST(KinetoReader, WorkThatOverlapsOnItsStreamIsDoubtful) {
  ImportReport report;
  inspect_kineto(all_replaced(small_trace(), "\"dur\": 50,", "\"dur\": 60,"), report);
  EXPECT_EQ(report.doubtful().at("device work that overlaps other work of its stream").count, 2U);
}

TEST(KinetoReader, WorkWithoutItsLaunchIsDoubtful) {
  ImportReport report;
  inspect_kineto(all_replaced(small_trace(), "\"args\": {\"correlation\": 103}", "\"args\": {}"),
                 report);
  EXPECT_EQ(report.doubtful().at("device work without a recorded launch").count, 1U);
}

TEST(KinetoReader, UnknownCategoriesAreSkippedAndCounted) {
  ImportReport report;
  inspect_kineto(all_replaced(small_trace(), "\"cat\": \"cpu_op\"", "\"cat\": \"news\""), report);
  EXPECT_EQ(report.skipped().at("event of an unknown category").first, "event 2");
}

TEST(KinetoReader, ATraceWithoutEventsOrWorkIsRefused) {
  EXPECT_EQ(error_of(R"({"traceEvents": []})"),
            "t.json: expected \"traceEvents\" with events, found none");
  EXPECT_EQ(error_of(without_lines(small_trace(), "\"cat\": \"kernel\"")),
            "t.json: expected work on a device in a step, found none");
  EXPECT_EQ(error_of(small_trace().substr(0, 5000)),
            "t.json: the text ends too early (is the file truncated?)");
}

TEST(KinetoReader, WorkOutsideOfStepsIsSkippedAndInNoCategoryOfTraining) {
  // Without the mark of the second step, its 8 pieces of 520 us lie outside.
  ImportReport report;
  const TraceSummary summary =
      inspect_kineto(without_lines(small_trace(), "ProfilerStep#1"), report);
  EXPECT_EQ(report.skipped().at("device work outside of the steps").count, 8U);
  const auto outside =
      std::ranges::find(summary.categories, "outside of steps", &TraceSummary::Category::name);
  ASSERT_NE(outside, summary.categories.end());
  EXPECT_EQ(outside->count, 8U);
  EXPECT_NEAR(outside->time.value, 520e-6, kExact);  // 450 of computation, 70 of collectives.
  Seconds inside{};
  for (const auto& category : summary.categories)
    inside += category.name == outside->name ? Seconds{} : category.time;
  EXPECT_NEAR(inside.value, (summary.steps.at(0).device + summary.steps.at(0).communication).value,
              kExact);
}

TEST(KinetoReader, ANegativeCorrelationJoinsNothing) {
  std::string text = all_replaced(small_trace(), "\"stream\": 7, \"correlation\": 3}",
                                  "\"stream\": 7, \"correlation\": -1}");
  text =
      all_replaced(text, "\"traceEvents\": [\n",
                   "\"traceEvents\": [\n{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": "
                   "\"cudaGetDevice\", \"pid\": 1, \"tid\": 1, \"ts\": 5005, \"dur\": 1, \"args\": "
                   "{\"correlation\": 0}},\n");
  ImportReport report;
  inspect_kineto(text, report);
  EXPECT_EQ(report.doubtful().at("device work without a recorded launch").count, 1U);
}

TEST(KinetoReader, WorkThatBeginsBeforeItsLaunchIsDoubtful) {
  // The all-reduce of each step runs from 410 on; launched by the call at 520 it cannot.
  ImportReport report;
  inspect_kineto(all_replaced(small_trace(), "\"stream\": 20, \"correlation\": 6,",
                              "\"stream\": 20, \"correlation\": 9,"),
                 report);
  EXPECT_EQ(report.doubtful().at("device work that begins before its launch").count, 1U);
}

TEST(KinetoReader, EventsThatStartDaysFromTheOthersAreSkippedAndCounted) {
  ImportReport report;
  const TraceSummary summary =
      inspect_kineto(all_replaced(small_trace(), "\"ts\": 5410,", "\"ts\": 1e18,"), report);
  EXPECT_EQ(report.skipped().at("event that starts more than a day from most others").count, 1U);
  EXPECT_EQ(summary.collectives.at(0).count, 1U);
}

TEST(KinetoReader, ACollectiveOfAnUnknownTypeHasNoSize) {
  const auto with_type = [](const char* type) {
    return all_replaced(small_trace(), "\"dtype\": \"Float\"",
                        std::string("\"dtype\": \"").append(type).append("\""));
  };
  ImportReport report;
  inspect_kineto(with_type("Mystery"), report);
  EXPECT_EQ(report.doubtful().at("collective without a recorded size").count, 2U);
  ImportReport eight_bits;
  const TraceSummary summary = inspect_kineto(with_type("c10::Float8_e4m3fn"), eight_bits);
  EXPECT_TRUE(eight_bits.clean());
  EXPECT_EQ(summary.collectives.at(0).size, Bytes{150});
}

TEST(KinetoReader, CopiesOfInputAreNoComputation) {
  ImportReport report;
  std::string text = all_replaced(small_trace(), "\"cat\": \"kernel\", \"name\": \"conv_forward\"",
                                  "\"cat\": \"gpu_memcpy\", \"name\": \"Memcpy HtoD\"");
  const TraceSummary summary = inspect_kineto(text, report);
  EXPECT_NEAR(summary.steps.at(0).input_copies.value, 100e-6, kExact);
  EXPECT_NEAR(summary.steps.at(0).device.value, 350e-6, kExact);
}

TEST(KinetoReader, StreamsOfASecondDeviceAreKeptApart) {
  // The copy into the bucket, 265 to 275, beside other work of stream 7 from 310 on: moved onto the
  // other device, nothing overlaps, although both streams are number 7.
  std::string text =
      all_replaced(small_trace(), "\"ts\": 5265, \"dur\": 10, \"args\": {\"device\": 0",
                   "\"ts\": 5265, \"dur\": 90, \"args\": {\"device\": 1");
  ImportReport report;
  inspect_kineto(text, report);
  EXPECT_EQ(report.doubtful()
                .at("work on another device of the same process, taken as other streams")
                .count,
            1U);
  EXPECT_EQ(report.doubtful().size(), 1U);
  ImportReport one_device;
  inspect_kineto(all_replaced(text, "\"device\": 1", "\"device\": 0"), one_device);
  EXPECT_EQ(one_device.doubtful().at("device work that overlaps other work of its stream").count,
            1U);
}

TEST(KinetoReader, TheBareListOfEventsIsOneToo) {
  EXPECT_TRUE(KinetoReader().sniff("[\n{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"a\"}"));
  EXPECT_FALSE(KinetoReader().sniff("[\n{\"ph\": \"B\", \"name\": \"NEGOTIATE_ALLREDUCE\"}"));
  EXPECT_FALSE(KinetoReader().sniff("[\n{\"ph\": \"X\", \"cat\": \"news\", \"name\": \"a\"}"));
}

// ---- ranks

std::string ranks_error(const std::string& second) {
  const std::string first = small_trace();
  return input_error_of([&] {
    ImportReport report;
    KinetoReader().read({text_stream(first, "a"), text_stream(second, "b")}, {}, report);
  });
}

TEST(KinetoReader, RanksOfOneJobAreAveraged) {
  const std::string first = small_trace();
  // conv2d's backward kernel takes 100 us on one rank and 60 us on the other.
  const std::string second =
      all_replaced(all_replaced(first, "\"rank\": 0", "\"rank\": 1"),
                   R"("name": "conv_backward", "pid": 0, "tid": 7, "ts": 5310, "dur": 100)",
                   R"("name": "conv_backward", "pid": 0, "tid": 7, "ts": 5310, "dur": 20)");
  ImportReport report;
  const Workload workload =
      KinetoReader().read({text_stream(first, "a"), text_stream(second, "b")}, {}, report);
  // Three steps of 100 us and one of 20 us.
  EXPECT_NEAR(layer_of(workload, "conv2d-0").backward.value, 80e-6, kExact);
}

TEST(KinetoReader, TheProvenanceOfSeveralRanksTellsTheirClockOffsets) {
  // All times of the second rank are those of the first, 1 s later.
  const std::string first = small_trace();
  const std::string second = all_replaced(
      all_replaced(all_replaced(first, "\"rank\": 0", "\"rank\": 1"), "\"ts\": 5", "\"ts\": 1005"),
      "\"ts\": 6", "\"ts\": 1006");
  ImportReport report;
  const Workload workload =
      KinetoReader().read({text_stream(first, "a"), text_stream(second, "b")}, {}, report);
  const auto& notes = workload.provenance.notes;
  EXPECT_NE(std::ranges::find(notes,
                              "clocks against rank 0's, by the ends of 2 collectives: "
                              "rank 1 +1 s (half within 0 s)"),
            notes.end());
}

TEST(KinetoReader, RanksOfDifferentJobsAreRefused) {
  EXPECT_EQ(ranks_error(small_trace()), "b: expected another rank than in a, found rank 0 in both");
  const std::string other = all_replaced(small_trace(), "\"rank\": 0", "\"rank\": 1");
  EXPECT_EQ(ranks_error(all_replaced(other, "\"world_size\": 2", "\"world_size\": 4")),
            "b: expected a job of 2 ranks as in a, found a job of 4 ranks");
  EXPECT_EQ(ranks_error(without_lines(other, "ProfilerStep#1")),
            "b: expected 2 steps as in a, found 1");
  EXPECT_EQ(ranks_error(all_replaced(other, "msg nelems\": 150", "msg nelems\": 999")),
            "b: expected gradient buckets of 600 B as in a, found 3.902 KiB: no ranks of one job");
  const std::string silent = without_lines(small_trace(), "distributedInfo");
  const std::string later = all_replaced(silent, "\"ts\": 5", "\"ts\": 1005");
  ImportReport report;
  EXPECT_EQ(input_error_of([&] {
              KinetoReader().read(
                  {text_stream(silent, "a"),
                   text_stream(all_replaced(later, "aten::conv2d", "aten::conv3d"), "b")},
                  {}, report);
            }),
            "b: expected the layers of a, found others: no ranks of one job");
}

// Stages of a pipeline and shards of embeddings: the mean is that of the ranks like the first.
TEST(KinetoReader, RanksWithOtherLayersAreRanksOfOneJob) {
  const std::string first = small_trace();
  const std::string other = all_replaced(all_replaced(first, "\"rank\": 0", "\"rank\": 1"),
                                         "aten::conv2d", "aten::conv3d");
  ImportReport report;
  const Workload workload =
      KinetoReader().read({text_stream(first, "a"), text_stream(other, "b")}, {}, report);
  EXPECT_EQ(layer_of(workload, "conv2d-0").kind, "conv2d");
  EXPECT_EQ(report.doubtful()
                .at("rank with other layers than the first one's, left out (a pipeline stage or a "
                    "shard of the model)")
                .first,
            "b");
  EXPECT_NE(workload.provenance.method.find("mean of 2 steps"), std::string::npos);
}

}  // namespace
}  // namespace stepcast
