// Experts that no rank shares (etp=1), beside those that the ranks of a tensor group share.
#include <gtest/gtest.h>

#include "models/schedule/list/registry.hpp"
#include "models/schedule/model_parallel/schedules.hpp"
#include "sim/forecast/hybrid/hybrid_forecast.hpp"
#include "tests/support/input_error.hpp"
#include "traces/catalog.hpp"
#include "traces/transformers.hpp"

namespace stepcast {
namespace {

HybridRun run_of(ScheduleOptions options, const std::string& experts = "8,top_k=2") {
  Cluster cluster = load_cluster("dgx-h100");
  cluster.nodes = 2;
  const Workload model = *find_transformer_model(
      "transformer:layers=4,hidden=1024,heads=16,seq=512,vocab=1024,device=h100,experts=" +
      experts);
  options.try_emplace("sequence_parallel", "yes");
  options["global_batch"] = "16";
  options["micro_batch"] = "1";
  return build_hybrid(schedule_of("1f1b"), model, cluster, options);
}

TEST(WholeExperts, AreAsManyParametersOnARankAsSharedOnes) {
  const ModelUnit shared = run_of({{"tp", "4"}, {"ep", "2"}}).job.units[1];
  const ModelUnit whole = run_of({{"tp", "4"}, {"ep", "8"}, {"etp", "1"}}).job.units[1];
  EXPECT_DOUBLE_EQ(whole.expert_parameters, shared.expert_parameters);
  EXPECT_DOUBLE_EQ(whole.parameters, shared.parameters);
}

// Their half of a block gathers and sums nothing over the tensor group.
TEST(WholeExperts, WaitForLessOfTheTensorGroup) {
  const ModelUnit shared = run_of({{"tp", "4"}, {"ep", "1"}}).job.units[1];
  const ModelUnit whole = run_of({{"tp", "4"}, {"ep", "1"}, {"etp", "1"}}).job.units[1];
  EXPECT_LT(whole.forward_wait.value, 0.6 * shared.forward_wait.value);
  EXPECT_DOUBLE_EQ(whole.expert_parameters, 4 * shared.expert_parameters);
}

// Of what a step gathers, beside what is dense.
TEST(WholeExperts, AreGatheredByThoseThatHoldTheSame) {
  const auto run = [](const char* ep, const char* etp) {
    return run_of({{"tp", "2"}, {"ep", ep}, {"etp", etp}, {"zero", "3"}});
  };
  const auto gathered = [](const HybridRun& of) {
    Bytes sum{};
    for (const PlannedCollective& planned : of.hybrid.plan.collectives)
      if (planned.collective.kind == CollectiveKind::AllGather)
        sum += planned.collective.size;
    return sum;
  };
  double dense = 0, experts = 0;
  const HybridRun twice = run("4", "auto");  // two copies of each expert
  for (const ModelUnit& unit : twice.job.units) {
    dense += unit.parameters;
    experts += unit.expert_parameters;
  }
  const Bytes alone = gathered(run("8", "auto"));  // one: nobody else holds them
  EXPECT_NEAR(gathered(twice) / alone, 1 + experts / dense, 1e-9);
  EXPECT_NEAR(gathered(run("8", "1")) / alone, 1 + experts / dense, 1e-9);  // two again
}

TEST(WholeExperts, AreOfModelsWithExperts) {
  EXPECT_EQ(input_error_of([] {
              run_of({{"tp", "2"}, {"etp", "1"}}, "1");
            }),
            "1f1b: option etp: expected auto: the model has no experts");
}

TEST(WholeExperts, NeedWaysThatDivideTheStage) {
  EXPECT_EQ(input_error_of([] {
              run_of({{"tp", "4"}, {"ep", "8"}});
            }),
            "1f1b: option ep: expected a divisor of dp x cp (4), found 8; etp=1 leaves experts "
            "whole, so that ep divides tp x cp x dp");
  EXPECT_EQ(input_error_of([] {
              run_of({{"tp", "4"}, {"ep", "8"}, {"etp", "2"}});
            }),
            "1f1b: option etp: expected 1, tp (4) or auto, found 2");
  EXPECT_EQ(input_error_of([] {
              run_of({{"tp", "4"}, {"ep", "8"}, {"etp", "1"}, {"sequence_parallel", "no"}});
            }),
            "1f1b: option etp: expected sequence_parallel=yes beside it, so that each of the 4 "
            "ranks of tp has tokens of its own");
}

}  // namespace
}  // namespace stepcast
