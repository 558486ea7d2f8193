#include "sim/cli/run_request.hpp"

#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "sim/cli/chance_options.hpp"

namespace stepcast {
namespace {

/// What is said before one communication of all GPUs is simulated.
std::string warning_of(std::uint32_t nodes, Fidelity fidelity, bool fold = true) {
  Scenario scenario;
  scenario.cluster.nodes = nodes;
  scenario.cluster.gpus_per_node = 4;
  scenario.engine.fidelity = fidelity;
  scenario.engine.fold = fold;
  Plan plan{.schedule = "bsp",
            .graph = TaskGraph({Task{.kind = TaskKind::Communication, .collective = 0}}, {}),
            .streams = {{.name = "compute"}},
            .collectives = {{.collective = {.size = Bytes{1e6}}}},
            .teams = {world_team(scenario.cluster)}};
  testing::internal::CaptureStderr();
  warn_of_cost(plan, scenario);
  return testing::internal::GetCapturedStderr();
}

TEST(RunRequest, WarnsOfRunsThatTakeLongOrMuch) {
  // 40 MB, 4.9 kB for each of 400,000 GPUs and 145 B for a task of each are 2.1 GB; 4 iterations of
  // as many flows of 1.8 us and tasks of .2 us are 3.2 s. Folded it is one node's.
  EXPECT_EQ(warning_of(100'000, Fidelity::Flow, false),
            "stepcast: bsp of 400000 GPUs at flow fidelity, unfolded, take about 2.1 GB and 3.2 s; "
            "--fidelity analytic takes less\n");
  EXPECT_EQ(warning_of(100'000, Fidelity::Flow), "");
  // At step fidelity 8,000 GPUs send 8,000 x 15,998 messages, 128e6. They are counted on 64 and 128
  // ranks (8,064 and 32,512) and grow from there as a power of the ranks: 32,512 x
  // (32,512 / 8,064)^log2(8,000 / 128) = 133e6, 4 % too many. Each takes 4 B and 4 x .1 us.
  EXPECT_EQ(warning_of(2'000, Fidelity::Step),
            "stepcast: bsp of 8000 GPUs at step fidelity take about 573 MB and 53 s; "
            "--fidelity analytic takes less\n");
  EXPECT_EQ(warning_of(100'000, Fidelity::Analytic), "");
  // 16 million tasks of a rank at 145 B are 2.3 GB, whatever the fidelity.
  EXPECT_EQ(warning_of(4'000'000, Fidelity::Analytic, false),
            "stepcast: bsp of 16000000 GPUs at analytic fidelity, unfolded, take about 2.4 GB and "
            "13 s\n");
}

// An estimate may be wrong by a factor of three: what takes ten times as much as is allowed is not
// even begun.
TEST(RunRequest, RefusesWhatIsFarBeyondTheMemoryAllowed) {
  const CostEstimate cost{.memory = Bytes{550e9}, .time = Seconds{550'000}};
  EXPECT_NO_THROW(refuse_beyond(Bytes{56e9}, cost, "all"));
  try {
    refuse_beyond(Bytes{1024.0 * 1024 * 1024}, cost, "dear of 262144 GPUs");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "dear of 262144 GPUs take about 550 GB and 153 hours, where 1 GiB are allowed; "
                 "--max-memory SIZE allows more");
  }
}

// 4 billion iterations were once asked for, and filled the memory for half a minute.
TEST(ChanceOptions, RefuseMoreThanAMillionIterations) {
  EXPECT_EQ(iterations_of({}), 0);
  EXPECT_EQ(iterations_of({.iterations = 1'000'000}), 1'000'000);
  EXPECT_THROW(iterations_of({.iterations = 1'000'001}), InputError);
}

TEST(RunRequest, WarnsOfStudiesThatTakeLongOrMuch) {
  const auto warning = [](std::optional<CostEstimate> cost) {
    testing::internal::CaptureStderr();
    warn_of_study(cost, 24, Fidelity::Flow, 4);
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(warning(std::nullopt), "");
  EXPECT_EQ(warning(CostEstimate{.memory = Bytes{1e8}, .time = Seconds{19}}), "");
  EXPECT_EQ(warning(CostEstimate{.memory = Bytes{1e8}, .time = Seconds{600}}),
            "stepcast: 24 forecasts at flow fidelity, 4 at a time, take about 100 MB and 10 min "
            "(memory of each); --fidelity analytic takes less\n");
}

}  // namespace
}  // namespace stepcast
