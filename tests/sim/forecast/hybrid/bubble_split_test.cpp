#include "sim/forecast/hybrid/bubble_split.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/support/examples.hpp"
#include "tests/support/owned_job.hpp"
#include "traces/catalog.hpp"
#include "traces/transformers.hpp"

namespace stepcast {
namespace {

// Eight layers of 1 ms forward and 2 ms backward on four stages, eight micro-batches, messages of
// no bytes: F = 2 ms, R = 4 ms.
OwnedJob pipeline_of(const char* pipeline, ScheduleOptions options = {}) {
  OwnedJob scenario{.workload = examples::uniform_workload(8, Seconds{1e-3}, Seconds{2e-3}, 100),
                    .cluster = examples::plain_cluster(1, 4),
                    .schedule = pipeline,
                    .options = std::move(options)};
  scenario.options.insert({{"pp", "4"}, {"global_batch", "8"}});
  scenario.engine.fidelity = Fidelity::Analytic;
  return scenario;
}

std::vector<StageForecast> stages_of(const OwnedJob& scenario) {
  return simulated(scenario).forecast.stages;
}

void expect_sums(const std::vector<StageForecast>& stages) {
  for (const StageForecast& stage : stages)
    EXPECT_NEAR(stage.split.total().value, stage.bubble.value, 1e-12);
}

// Stage i gets its first input i F late and its first gradient when those behind it have had
// theirs, (p - 1 - i) R; it ends i R before stage 0, and behind its last forward pass each gradient
// comes F late: (p - 1 - i) F. Together (p - 1)(F + R).
TEST(BubbleSplit, OfOneForwardOneBackwardIsWarmUpAndDrain) {
  const auto stages = stages_of(pipeline_of("1f1b"));
  for (int i = 0; i < 4; ++i) {
    const BubbleSplit& split = stages[static_cast<std::size_t>(i)].split;
    EXPECT_NEAR(split.warm_up.value, i * 2e-3 + (3 - i) * 4e-3, 1e-8) << i;
    EXPECT_NEAR(split.drain.value, i * 4e-3 + (3 - i) * 2e-3, 1e-8) << i;
    EXPECT_EQ(split.imbalance, Seconds{});
    EXPECT_EQ(split.messages, Seconds{});
    EXPECT_LT(split.exchange.value, 1e-8);  // the norm of 4 bytes
  }
  expect_sums(stages);
}

// With costs of hosts that the cluster gives: they do not count, and used to leave no word.
TEST(BubbleSplit, SaysThatHostsTakeNoTime) {
  OwnedJob scenario = pipeline_of("1f1b");
  scenario.cluster.software.host_per_launch = Seconds{1e-3};
  const Notes notes = simulated(scenario).forecast.notes;
  const auto note = std::ranges::find(notes, "host", &Note::subject);
  ASSERT_NE(note, notes.end());
  EXPECT_EQ(note->text, "Costs of hosts that do not count here: software.host_per_launch.");
}

// Stage i waits iF, then for the F and R of those behind it, then until stage 0 is done.
TEST(BubbleSplit, OfGpipeHasTheTurnInItsWarmUp) {
  const auto stages = stages_of(pipeline_of("gpipe"));
  for (int i = 0; i < 4; ++i) {
    const BubbleSplit& split = stages[static_cast<std::size_t>(i)].split;
    EXPECT_NEAR(split.warm_up.value, i * 2e-3 + (3 - i) * 6e-3, 1e-8) << i;
    EXPECT_NEAR(split.drain.value, i * 4e-3, 1e-8) << i;
  }
  expect_sums(stages);
}

// Stage 1 has three layers, stage 0 one: in the steady phase it waits 2 (F + R) of a layer for each
// micro-batch.
TEST(BubbleSplit, OfUnevenStagesHasImbalance) {
  const auto stages = stages_of(pipeline_of("1f1b", {{"partition", "1,3,2,2"}}));
  EXPECT_GT(stages[0].split.imbalance.value, 17e-3);
  EXPECT_LT(stages[1].split.imbalance.value, 1e-6);
  expect_sums(stages);
}

TEST(BubbleSplit, TellsMessagesFromPasses) {
  OwnedJob scenario = pipeline_of("1f1b");
  for (Layer& layer : scenario.workload.layers)
    layer.activation = Bytes{5e6};  // 0.5 ms at 10 GB/s
  const auto stages = stages_of(scenario);
  // Its first input comes over one message, which nothing hides.
  EXPECT_GE(stages[1].split.messages.value, 0.5e-3);
  EXPECT_GE(stages[0].split.messages.value, 0.5e-3);
  expect_sums(stages);
}

TEST(BubbleSplit, TellsWhatAStragglerAdds) {
  OwnedJob scenario = pipeline_of("1f1b");
  const auto usual = stages_of(scenario);
  scenario.engine.stragglers = {{2, 1.5}};
  const auto slow = stages_of(scenario);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(usual[i].split.stragglers, Seconds{});
    EXPECT_LE(slow[i].split.warm_up, usual[i].split.warm_up);
  }
  // Its bubble grows by what the step does: eight pairs of 9 ms in place of 6, of which 3 ms hide
  // in the slow stage's own warm-up.
  EXPECT_NEAR((slow[0].bubble - usual[0].bubble).value, 21e-3, 1e-8);
  EXPECT_GE(slow[0].split.stragglers.value, 21e-3 - 1e-8);
  EXPECT_LT(slow[2].split.stragglers, slow[0].split.stragglers);
  expect_sums(slow);
}

TEST(BubbleSplit, OfCopiesHasTheExchangeOfGradients) {
  OwnedJob scenario = pipeline_of("1f1b", {{"pp", "2"}, {"global_batch", "16"}});
  scenario.workload = examples::uniform_workload(8, Seconds{1e-3}, Seconds{2e-3}, 10'000'000);
  const auto stages = stages_of(scenario);
  // 4 layers of 40 MB at 10 GB/s between two copies, 4 ms each, of which the last cannot hide.
  EXPECT_GE(stages[0].split.exchange.value, 4e-3);
  expect_sums(stages);
}

// Full recomputation: 96 G s L h^2 (1 + s/6h + V/16Lh) over 72 G s L h^2 (1 + s/6h + V/12Lh)
// (Narayanan et al., 2021).
TEST(FlopsUtilisation, OfTheHardwareCountsRecomputation) {
  OwnedJob scenario{.workload = *find_transformer_model("transformer:model=gpt-22b,device=a100"),
                    .cluster = load_cluster("dgx-a100"),
                    .schedule = "1f1b",
                    .options = {{"tp", "8"}}};
  scenario.cluster.nodes = 1;
  const auto ratio = [&](const char* recompute) {
    scenario.options["recompute"] = recompute;
    const Forecast hybrid = simulated(scenario).forecast;
    return hybrid.hardware_utilisation / hybrid.flops_utilisation;
  };
  const double l = 48, h = 6144, v = 51200, s = 2048;
  const double model = 72 * (1 + s / 6 / h + v / 12 / l / h);
  EXPECT_NEAR(ratio("full"), 96 * (1 + s / 6 / h + v / 16 / l / h) / model, 1e-12);
  // Scores are 4 b s^2 h of a block, 4 s / h of the s h^2 that the 72 count.
  EXPECT_NEAR(ratio("selective"), 1 + 4 * s / h / model, 1e-12);
  EXPECT_EQ(ratio("none"), 1);
}

}  // namespace
}  // namespace stepcast
