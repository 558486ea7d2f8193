// What the fullest expert gets.
#include <gtest/gtest.h>

#include "models/schedule/list/registry.hpp"
#include "sim/forecast/hybrid/hybrid_forecast.hpp"
#include "tests/support/input_error.hpp"
#include "tests/support/owned_job.hpp"

namespace stepcast {
namespace {

// 8 experts, of which a token goes to 2, on 8 GPUs.
HybridRun run_of(ScheduleOptions options, const char* experts = ",experts=8,top_k=2") {
  const Workload model = *find_transformer_model(
      std::string("transformer:layers=4,hidden=1024,heads=16,seq=512,vocab=1024,device=a100") +
      experts);
  return build_hybrid(schedule_of("1f1b"), model, load_cluster("dgx-a100"), options);
}

std::string refusal(ScheduleOptions options, const char* experts = ",experts=8,top_k=2") {
  return input_error_of([&] { run_of(std::move(options), experts); });
}

TEST(ExpertLoad, OfTheFullestIsAtMostThatOfAllTokens) {
  EXPECT_NO_THROW(run_of({{"ep", "8"}, {"expert_imbalance", "4"}}));
  EXPECT_EQ(refusal({{"ep", "8"}, {"expert_imbalance", "4.5"}}),
            "1f1b: option expert_imbalance: expected at most experts / top_k (8 / 2 = 4), where "
            "every token goes to the fullest expert, found 4.5");
}

TEST(ExpertLoad, IsRefusedWithoutExperts) {
  EXPECT_EQ(refusal({{"expert_imbalance", "2"}}, ""),
            "1f1b: option expert_imbalance: expected 1: the model has no experts, found 2");
  EXPECT_NO_THROW(run_of({{"expert_imbalance", "1"}}, ""));
}

const ModelUnit& block_of(const HybridRun& run) {
  return run.job.units[1];
}

std::string notes_of(const HybridRun& run) {
  std::string text;
  for (const Note& note : run.hybrid.plan.notes)
    if (note.subject == "capacity_factor")
      text += note.text;
  return text;
}

// 512 tokens of 1024 numbers of 2 bytes to 2 experts: all-to-alls there and back in both passes, of
// which 7/8 leave a rank.
TEST(ExpertCapacity, ScalesWhatIsSentByTheFactor) {
  const double mean = 4 * 512 * 1024 * 2.0 * 2 * 7 / 8;
  EXPECT_DOUBLE_EQ(block_of(run_of({{"ep", "8"}})).sent.value, mean);
  EXPECT_DOUBLE_EQ(block_of(run_of({{"ep", "8"}, {"capacity_factor", "1.25"}})).sent.value,
                   1.25 * mean);
}

// Every expert computes what the fullest one would.
TEST(ExpertCapacity, EveryExpertComputesItsCapacity) {
  const HybridRun padded = run_of({{"ep", "8"}, {"capacity_factor", "2"}});
  const HybridRun fullest = run_of({{"ep", "8"}, {"expert_imbalance", "2"}});
  EXPECT_EQ(block_of(padded).compute.forward, block_of(fullest).compute.forward);
  EXPECT_EQ(block_of(padded).forward_wait, block_of(fullest).forward_wait);
  EXPECT_GT(block_of(padded).held, block_of(fullest).held);
  // More than the capacity of 2 is dropped, so that the load does not matter.
  const HybridRun cut = run_of({{"ep", "8"}, {"capacity_factor", "2"}, {"expert_imbalance", "4"}});
  EXPECT_EQ(block_of(cut).compute.forward, block_of(padded).compute.forward);
}

// The fullest of 8 has 3 times the mean and room for 1.25: 1.75 of 8 parts. With room for 0.5 the
// others, which have 5/7 of the mean each, drop (5/7 - 0.5) x 7 = 1.5, too: 4 of 8.
TEST(ExpertCapacity, TellsHowManyAreDroppedAtLeast) {
  const auto notes = [](const char* capacity, const char* imbalance) {
    return notes_of(
        run_of({{"ep", "8"}, {"capacity_factor", capacity}, {"expert_imbalance", imbalance}}));
  };
  EXPECT_EQ(notes("1.25", "3"),
            "Of what tokens send to experts at least 21.9 % is dropped: the fullest expert has 3 "
            "times the mean, and room for 1.25 times. What that does to convergence is not "
            "forecast.");
  EXPECT_NE(notes("0.5", "3").find("at least 50 %"), std::string::npos);
  EXPECT_EQ(notes("1.25", "1"),
            "Every expert computes 1.25 times the mean, padded: the fullest one has 1 times.");
  EXPECT_EQ(notes_of(run_of({{"ep", "8"}, {"expert_imbalance", "3"}})), "");
}

TEST(ExpertCapacity, IsRefusedWhereItMeansNothing) {
  EXPECT_EQ(refusal({{"capacity_factor", "1.25"}}, ""),
            "1f1b: option capacity_factor: expected 0: the model has no experts, found 1.25");
  EXPECT_EQ(refusal({{"ep", "8"}, {"capacity_factor", "5"}}),
            "1f1b: option capacity_factor: expected at most experts / top_k (8 / 2 = 4), where "
            "every token goes to the fullest expert, found 5");
}

}  // namespace
}  // namespace stepcast
