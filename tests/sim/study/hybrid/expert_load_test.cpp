// What the fullest expert gets.
#include <gtest/gtest.h>

#include "sim/study/hybrid/hybrid_forecast.hpp"
#include "tests/support/hybrid_scenario.hpp"
#include "tests/support/input_error.hpp"

namespace stepcast {
namespace {

// 8 experts, of which a token goes to 2, on 8 GPUs.
HybridRun run_of(ScheduleOptions options, const char* experts = ",experts=8,top_k=2") {
  const CutModel model = *find_transformer_model(
      std::string("transformer:layers=4,hidden=1024,heads=16,seq=512,vocab=1024,device=a100") +
      experts);
  return build_hybrid(*find_pipeline("1f1b"), model, load_cluster("dgx-a100"), options);
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

}  // namespace
}  // namespace stepcast
