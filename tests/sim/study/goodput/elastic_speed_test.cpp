#include "sim/study/goodput/elastic_speed.hpp"

#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "sim/study/goodput/goodput_study.hpp"

namespace stepcast {
namespace {

Scenario scenario_with(const std::string& nodes, const std::string& bandwidth = "") {
  Experiment experiment{.workload = "resnet50-rtx2080ti-bs64", .cluster = "rtx2080ti-16x4-10gbe"};
  experiment.schedules = {"ddp"};
  experiment.fidelity = "analytic";
  experiment.settings.cluster = {{"nodes", nodes}};
  if (!bandwidth.empty())
    experiment.settings.cluster["nic.bandwidth"] = bandwidth;
  return scenario_of(std::move(experiment));
}

double throughput_of(const Scenario& scenario) {
  return simulated(scenario, "ddp").forecast.throughput;
}

TEST(ElasticSpeed, IsWhatIsForecastAtEachSize) {
  const TrainingForecast training = training_forecast(scenario_with("4"));
  const double all = throughput_of(scenario_with("4"));
  EXPECT_EQ(training.samples_per_s, all);
  EXPECT_EQ(training.speed(4, 1), 1);
  EXPECT_NEAR(training.speed(3, 1), throughput_of(scenario_with("3")) / all, 1e-12);
  EXPECT_NE(training.speed(3, 1), 0.75);  // less is communicated
  EXPECT_EQ(training.steps->size(), 1U);
}

// Two stages of one GPU each do not divide three nodes: two of them train, and one idles.
TEST(ElasticSpeed, OfASizeThatALayoutDoesNotDivideTheNextSmallerOneTrains) {
  const auto pipeline = [](const char* nodes) {
    Experiment experiment{.workload = "vgg16-pipedream-bs128",
                          .cluster = "ideal-4x1",
                          .schedules = {"1f1b"},
                          .fidelity = "analytic"};
    experiment.settings = parse_settings(std::vector<std::string>{"pp=2"});
    experiment.settings.cluster = {{"nodes", nodes}};
    return scenario_of(std::move(experiment));
  };
  const auto samples_per_s = [&](const char* nodes) {
    return simulated(pipeline(nodes), "1f1b").forecast.throughput;
  };
  const TrainingForecast training = training_forecast(pipeline("4"));
  EXPECT_NEAR(training.speed(3, 1), samples_per_s("2") / samples_per_s("4"), 1e-12);
  EXPECT_EQ(training.speed(1, 1), 0);
}

TEST(ElasticSpeed, ASlowLinkSlowsTheWholeRing) {
  const Scenario scenario = scenario_with("4", "8Gbps");
  const TrainingForecast training = training_forecast(scenario);
  EXPECT_NEAR(training.speed(4, 0.25),
              throughput_of(scenario_with("4", "2Gbps")) / throughput_of(scenario), 1e-9);
  EXPECT_LT(training.speed(4, 0.25), 0.9);
}

// 4 nodes of 4 GPUs at 2 an hour for each, one spare: 40 a run's hour.
TEST(GoodputStudy, HoursAndCostFollowWhatStaysDone) {
  GoodputQuestion question{
      .training = training_forecast(scenario_with("4")), .samples = 1e9, .price = 2};
  GoodputRequest& request = question.request;
  request = {.nodes = 4,
             .spares = 1,
             .costs = {Seconds{30}, Seconds{600}},
             .policy = LossPolicy::Shrink,
             .seeds = 50,
             .speed = question.training->speed};
  request.sources.emplace();
  add_fault_source(*request.sources, "node:mtbf=20d,repair=2d");
  const GoodputAnswer answer = answer_to(question);
  EXPECT_NEAR(answer.hours->p50,
              1e9 / (question.training->samples_per_s * answer.goodput.p50.value) / 3600, 1e-9);
  EXPECT_GE(answer.hours->p95, answer.hours->p50);
  EXPECT_NEAR(answer.cost->p50, answer.hours->p50 * 40, 1e-6);
  EXPECT_NEAR(answer.goodput_share, answer.goodput.efficiency * 4 / 5, 1e-12);
  EXPECT_TRUE(question.training->steps->contains({3, 1.0}));
}

TEST(GoodputStudy, SlowLinksNeedAForecast) {
  GoodputQuestion question{.request = {.nodes = 4, .costs = {Seconds{30}, Seconds{600}}}};
  question.request.sources.emplace();
  add_fault_source(*question.request.sources, "link:mtbf=10d,share=0.5,repair=1h");
  EXPECT_THROW(answer_to(question), InputError);
}

}  // namespace
}  // namespace stepcast
