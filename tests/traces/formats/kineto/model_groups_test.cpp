// Steps of several micro-batches, and ranks that share a model, in made traces.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/input_error.hpp"
#include "tests/traces/formats/kineto/small_trace.hpp"
#include "tests/traces/formats/kineto/training_trace.hpp"

namespace stepcast {
namespace {

using testing::HasSubstr;

constexpr double kMicro = 1e-6;

Workload imported(const TracedTraining& training, const ImportOptions& options = {}) {
  ImportReport report;
  return import_kineto(TrainingTrace(training).text(), options, report);
}

Seconds compute_of(const Workload& workload, Seconds Layer::*pass) {
  Seconds sum{};
  for (const Layer& layer : workload.layers)
    if (layer.kind != kHostGap && layer.kind != kModelMessages)
      sum += layer.*pass;
  return sum;
}

Seconds message_time(const Workload& workload) {
  Seconds sum{};
  for (const Layer& layer : workload.layers)
    if (layer.kind == kModelMessages)
      sum += layer.forward + layer.backward;
  return sum;
}

TEST(MicroBatches, LayersAreThoseOfTheMeanPass) {
  const Workload whole = imported({});
  const Workload parts = imported({.micro_batches = 4});
  EXPECT_EQ(whole.passes, 1U);
  EXPECT_EQ(parts.passes, 4U);
  EXPECT_EQ(parts.batch, whole.batch);
  EXPECT_EQ(parameter_count(parts), parameter_count(whole));
  EXPECT_NEAR(compute_of(parts, &Layer::forward).value, 3 * 400 * kMicro, 1e-9);
  EXPECT_NEAR(compute_of(parts, &Layer::backward).value, 3 * 800 * kMicro, 1e-9);
  EXPECT_NEAR(parts.update.value, 300 * kMicro, 1e-9);
}

TEST(MicroBatches, BatchIsOfAStep) {
  EXPECT_EQ(imported({.micro_batches = 4}, {.batch = 64}).batch, 16U);
  EXPECT_THAT(input_error_of([] { imported({.micro_batches = 4}, {.batch = 30}); }),
              HasSubstr("--batch 30: expected a multiple of 4"));
}

// Two models that are trained in turn.
TEST(MicroBatches, PassesThatDifferAreDoubted) {
  ImportReport report;
  const Workload workload =
      import_kineto(TrainingTrace({.micro_batches = 2, .different = 2}).text(), {}, report);
  EXPECT_EQ(workload.passes, 1U);
  EXPECT_EQ(report.doubtful().count(
                "step of several backward passes that do different work, taken as one pass"),
            1U);
}

TEST(MicroBatches, WhatTheMeanHidesIsDoubted) {
  const auto doubts = [](const TracedTraining& training) {
    ImportReport report;
    import_kineto(TrainingTrace(training).text(), {}, report);
    return report.doubtful();
  };
  EXPECT_EQ(doubts({.micro_batches = 4, .longer = 3})
                .count("micro-batches of different lengths, of which the mean is taken"),
            1U);
  EXPECT_EQ(doubts({.micro_batches = 4, .reduces_each = true})
                .count("gradients reduced in every micro-batch, taken as reduced once a step"),
            1U);
  EXPECT_TRUE(doubts({.micro_batches = 4}).empty());
}

TEST(ModelGroups, MessagesStayWithTheirLayers) {
  ImportReport report;
  const Workload workload = import_kineto(TrainingTrace({.tensor = 2}).text(), {}, report);
  EXPECT_TRUE(report.clean()) << "the step is the sum of layers, messages and waits";
  EXPECT_EQ(workload.model_group, 2U);
  EXPECT_NEAR(message_time(workload).value, 6 * 200 * kMicro, 1e-9);
  EXPECT_NEAR(compute_of(workload, &Layer::forward).value, 3 * 400 * kMicro, 1e-9);
  EXPECT_EQ(parameter_count(workload), 1000U);
  for (const Layer& layer : workload.layers)
    for (const Parameter& parameter : layer.parameters)
      EXPECT_EQ(parameter.dtype, DataType::Float32) << "activations are bf16";
}

TEST(ModelGroups, OfSeveralMicroBatches) {
  const Workload workload = imported({.micro_batches = 2, .tensor = 2});
  EXPECT_EQ(workload.passes, 2U);
  EXPECT_NEAR(message_time(workload).value, 6 * 200 * kMicro, 1e-9);
}

TEST(ModelGroups, ARankWithoutOneHasAReplica) {
  const Workload workload = imported({});
  EXPECT_EQ(workload.model_group, 1U);
  EXPECT_EQ(message_time(workload), Seconds{});
}

}  // namespace
}  // namespace stepcast
