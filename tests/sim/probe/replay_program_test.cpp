#include "sim/probe/replay_program.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "sim/probe/hardware_error.hpp"
#include "tests/support/input_error.hpp"

namespace stepcast {
namespace {

const ReplayCalibration kCalibration{
    .products = {Seconds{1e-3}, Seconds{1e-4}, Seconds{1e-5}},
    .copies = {CopyRate{Seconds{1e-5}, {1e10}}, CopyRate{Seconds{1e-5}, {2e10}}}};

/// 2.345 ms forward, 1.004 ms on another group, an all-reduce of 3 ms after 1 ms of waiting.
ExportedPlan small_plan() {
  ExportedPlan exported{
      .gpus = 2,
      .iteration_time = Seconds{5e-3},
      .plan = {.schedule = "test",
               .graph = TaskGraph(
                   {{.kind = TaskKind::Forward, .duration = Seconds{2.345e-3}},
                    {.kind = TaskKind::OtherCompute, .team = 1, .duration = Seconds{1.004e-3}},
                    {.kind = TaskKind::Communication, .stream = 1, .collective = 0}},
                   {{0, 2}, {1, 2}}),
               .next = {{2, 0}},
               .streams = {{"compute"}, {"all-reduce"}},
               .collectives = {{}},
               .teams = {{{{{0, 1}}}}, {{{{1}}}}}}};
  exported.forecasts = {{.wait = Seconds{1e-3}, .time = Seconds{3e-3}}};
  return exported;
}

TEST(ReplayProgram, FillsATimeWithTheLongestProductsFirst) {
  Seconds rest{};
  // 2.347 ms = 2 x 1 ms + 3 x 0.1 ms + 5 x 0.01 ms - 0.003 ms.
  EXPECT_EQ(products_for(Seconds{2.347e-3}, kCalibration.products, rest),
            (std::vector<std::uint32_t>{2, 3, 5}));
  EXPECT_NEAR(rest.value, -3e-6, 1e-12);
}

TEST(ReplayProgram, MakesUpForWhatEarlierTasksMissed) {
  // A hundred tasks of 4 us each are shorter than the shortest product, and 400 us in all.
  Seconds rest{};
  std::uint32_t executed = 0;
  for (int i = 0; i < 100; ++i)
    executed += products_for(Seconds{4e-6} + rest, kCalibration.products, rest)[2];
  EXPECT_EQ(executed, 40U);
}

TEST(ReplayProgram, SizesCopiesToTheirTime) {
  // 1 ms less 10 us of start-up at 10 GB/s: 9.9 MB.
  EXPECT_EQ(copies_for(Seconds{1e-3}, kCalibration.copies[0]),
            (std::vector<std::uint64_t>{9900000}));
  // A copy of 64 MiB takes 6.7209 ms; ten of them and a rest.
  const auto copies = copies_for(Seconds{70e-3}, kCalibration.copies[0]);
  ASSERT_EQ(copies.size(), 11U);
  Seconds sum{};
  for (const std::uint64_t bytes : copies)
    sum += Seconds{1e-5 + static_cast<double>(bytes) / 1e10};
  EXPECT_NEAR(sum.value, 70e-3, 1e-9);
  EXPECT_TRUE(copies_for(Seconds{1e-6}, kCalibration.copies[0]).empty());
}

TEST(ReplayProgram, EmulatesTheExportedRank) {
  const ReplayProgram program = emulated_program(small_plan(), kCalibration, Emulation::Copies);
  // Rank 0 is not of group 1, so it skips the second task and its dependency.
  ASSERT_EQ(program.steps.size(), 2U);
  EXPECT_EQ(program.steps[1].task, 2U);
  EXPECT_EQ(program.steps[1].waits, (std::vector<TaskId>{0}));
  EXPECT_EQ(program.steps[0].waits_before, (std::vector<TaskId>{2}));
  EXPECT_TRUE(program.steps[0].awaited);
  // Waiting and moving: 4 ms less the start-up, from host to device.
  EXPECT_EQ(program.steps[1].copies, (std::vector<std::uint64_t>{39900000}));
  EXPECT_EQ(program.steps[1].collective, kNone);
}

TEST(ReplayProgram, MayEmulateWithATimer) {
  const ReplayProgram program = emulated_program(small_plan(), kCalibration, Emulation::Timer);
  EXPECT_NEAR(program.steps[1].timer.value, 4e-3, 1e-12);
  EXPECT_TRUE(program.steps[1].copies.empty());
}

TEST(ReplayProgram, LetsATimerStandForTheHostsWorkBesideTheGpus) {
  // 1.5 ms on the communication's stream, where no forward task runs.
  ExportedPlan plan = small_plan();
  plan.plan.graph =
      TaskGraph({{.kind = TaskKind::Forward, .duration = Seconds{2e-3}},
                 {.kind = TaskKind::OtherCompute, .duration = Seconds{1e-3}},
                 {.kind = TaskKind::OtherCompute, .stream = 1, .duration = Seconds{1.5e-3}}},
                {});
  plan.plan.next = {};
  const ReplayProgram program = emulated_program(plan, kCalibration, Emulation::Copies);
  ASSERT_EQ(program.steps.size(), 3U);
  EXPECT_EQ(program.steps[1].products, (std::vector<std::uint32_t>{1, 0, 0}));
  EXPECT_EQ(program.steps[1].timer, Seconds{});
  EXPECT_TRUE(program.steps[2].products.empty());
  EXPECT_DOUBLE_EQ(program.steps[2].timer.value, 1.5e-3);
}

TEST(ReplayProgram, CommunicatesForRealOnAllRanks) {
  const ReplayProgram program = real_program(small_plan(), kCalibration, 1);
  ASSERT_EQ(program.steps.size(), 3U);
  EXPECT_EQ(program.steps[2].collective, 0U);
  EXPECT_EQ(program.steps[2].waits, (std::vector<TaskId>{0, 1}));
}

TEST(ReplayProgram, IsRealOnlyOnThePlansGpus) {
  EXPECT_EQ(replay_mode(4, 8, std::nullopt), ReplayMode::Real);
  EXPECT_EQ(replay_mode(64, 8, std::nullopt), ReplayMode::Emulated);
  EXPECT_EQ(replay_mode(4, 8, 1), ReplayMode::Emulated);
  EXPECT_EQ(replay_mode(1, 1, std::nullopt), ReplayMode::Emulated);
  EXPECT_THROW(replay_mode(4, 2, 4), HardwareError);
  EXPECT_EQ(input_error_of([] { replay_mode(64, 8, 2); }).substr(0, 8), "--gpus 2");
}

TEST(ReplayProgram, UnderMpiNeedsARankForEachGpu) {
  EXPECT_EQ(replay_mode(4, 4, std::nullopt, true), ReplayMode::Real);
  EXPECT_EQ(input_error_of([] { replay_mode(4, 8, std::nullopt, true); }),
            "MPI started 8 ranks, but the plan is for 4 GPUs; start as many, or one process "
            "without MPI for emulated collectives");
}

TEST(ReplayProgram, HandsOverEveryStepAfterWhatItWaitsFor) {
  // A stream that blocks the host must never wait for what the host has yet to hand over.
  const ExportedPlan plan = small_plan();
  const ReplayProgram program = real_program(plan, kCalibration, 1);
  std::vector<TaskId> handed_over;
  for (const ReplayStep& step : program.steps) {
    for (const TaskId before : step.waits)
      EXPECT_NE(std::ranges::find(handed_over, before), handed_over.end());
    handed_over.push_back(step.task);
  }
}

TEST(ReplayProgram, RecordsAnEventForWhateverIsWaitedFor) {
  const ReplayProgram program = real_program(small_plan(), kCalibration, 1);
  const auto step_of = [&program](TaskId task) {
    return *std::ranges::find(program.steps, task, &ReplayStep::task);
  };
  for (const ReplayStep& step : program.steps)
    for (const auto& waits : {step.waits, step.waits_before})
      for (const TaskId before : waits) {
        EXPECT_TRUE(step_of(before).awaited);
        EXPECT_NE(step_of(before).stream, step.stream);
      }
}

TEST(ReplayProgram, UnequalSharesCanOnlyBeEmulated) {
  ExportedPlan plan = small_plan();
  plan.plan.collectives[0].collective.shares = {1, 2};
  EXPECT_EQ(emulated_program(plan, kCalibration, Emulation::Copies).steps.size(), 2U);
  EXPECT_EQ(input_error_of([&] { real_program(plan, kCalibration, 0); }),
            "test gives the ranks unequal shares of a collective, which is not replayed; --gpus 1 "
            "emulates its communication");
}

TEST(ReplayProgram, SendsCanOnlyBeEmulated) {
  ExportedPlan plan = small_plan();
  plan.plan.collectives[0].collective.kind = CollectiveKind::Send;
  EXPECT_EQ(emulated_program(plan, kCalibration, Emulation::Copies).steps.size(), 2U);
  EXPECT_EQ(input_error_of([&] { real_program(plan, kCalibration, 0); }),
            "test sends between neighbours, which is not replayed; --gpus 1 emulates its "
            "communication");
}

}  // namespace
}  // namespace stepcast
