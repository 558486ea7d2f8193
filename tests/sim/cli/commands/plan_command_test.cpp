#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/sim/cli/run_cli.hpp"

namespace stepcast {
namespace {

using nlohmann::json;

std::vector<std::string> plan_of(const std::vector<std::string>& more,
                                 const std::string& workload = "resnet50-rtx2080ti-bs32") {
  std::vector<std::string> all{"plan",       "--workload",           workload,
                               "--clusters", "rtx2080ti-16x4-10gbe", "--schedules",
                               "ddp,dear"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

json printed(std::vector<std::string> arguments) {
  arguments.emplace_back("--json");
  const Outcome outcome = run_cli(arguments);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return json::parse(outcome.out);
}

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::string error_of(const std::vector<std::string>& more) {
  const Outcome outcome = run_cli(plan_of(more));
  EXPECT_EQ(outcome.exit_code, 2) << outcome.out;
  EXPECT_EQ(outcome.out, "");
  return outcome.err;
}

TEST(PlanCommand, HostileWishesAreOneLineEach) {
  EXPECT_EQ(error_of({"--budget", "0"}),
            "stepcast: --budget: expected a number above 0 such as 5000, found 0\n");
  EXPECT_EQ(error_of({"--budget", "-3"}),
            "stepcast: --budget: expected a number above 0 such as 5000, found -3\n");
  EXPECT_EQ(error_of({"--deadline", "0h"}),
            "stepcast: --deadline: expected a time above 0 such as 72h, found 0\n");
  EXPECT_EQ(error_of({"--samples", "0"}),
            "stepcast: --samples: expected a number above 0 such as 1.28e8, found 0\n");
  EXPECT_EQ(error_of({"--samples", "1", "--tokens", "1"}),
            "stepcast: give one of --samples, --tokens and --goal\n");
  EXPECT_EQ(error_of({"--tokens", "1e9"}),
            "stepcast: --tokens: expected a transformer; give --samples for other workloads\n");
  EXPECT_EQ(error_of({"--gpus", "6"}),
            "stepcast: --gpus: no cluster can have so many: nodes are full, or the only one\n");
  EXPECT_EQ(error_of({"--min-utilisation", "140%"}),
            "stepcast: --min-utilisation: expected a share above 0 to 1 such as 40%, found "
            "\"140%\"\n");
  EXPECT_EQ(error_of({"--node-mtbf", "1000h"}),
            "stepcast: --node-mtbf: expected --checkpoint and --restart beside it\n");
  EXPECT_EQ(error_of({"--max-gpus", "4", "--gpus", "8,16"}),
            "stepcast: --max-gpus 4: every size of --gpus is larger\n");
  EXPECT_EQ(error_of({"--set", "fusion_bufer=1MiB"}),
            "stepcast: --set fusion_bufer: none of the schedules has such an option; did you mean "
            "\"fusion_buffer\"?\n");
}

TEST(PlanCommand, PricesOfOtherDevicesAreNoPrices) {
  const TemporaryFolder folder;
  const std::string file = folder.file(
      "mine.json",
      R"({"format": "stepcast-prices", "version": 1, "name": "mine", "currency": "EUR", "date": "2026-01",
          "provenance": {"kind": "assumed", "source": "a test"}, "prices": [{"device": "b200", "gpu_hour": 9}]})");
  EXPECT_EQ(error_of({"--prices", file}),
            "stepcast: --prices mine: no price of cluster \"rtx2080ti-16x4-10gbe\" or device "
            "\"rtx2080ti\"; add an entry to a list of your own\n");
}

// A GPU costs 0.25 an hour in the shipped list: hours = samples / throughput / 3600, cost = 0.25 x
// GPUs x hours.
TEST(PlanCommand, HoursAndCostFollowFromTheThroughput) {
  const json plan = printed(plan_of({"--gpus", "8,16", "--samples", "7200000"}));
  for (const json& choice : plan["results"]) {
    const double hours = 2000 / choice["throughput_samples_per_s"].get<double>();
    EXPECT_NEAR(choice["hours"].get<double>(), hours, 1e-9 * hours);
    EXPECT_NEAR(choice["cost"].get<double>(), 0.25 * choice["gpus"].get<double>() * hours,
                1e-9 * hours);
  }
}

TEST(PlanCommand, TheCommandThatItPrintsForecastsTheSameStep) {
  const json plan = printed(plan_of({"--gpus", "8", "--global-batch", "512"}));
  std::vector<std::string> words;
  std::istringstream text(plan["command"].get<std::string>());
  for (std::string word; text >> word;)
    words.push_back(word);
  words.erase(words.begin());
  EXPECT_EQ(printed(words)["iteration_time_s"], plan["results"][0]["iteration_time_s"]);
}

TEST(PlanCommand, WithADeadlineTheCheapestInTimeComesFirst) {
  const std::vector<std::string> sizes{"--gpus", "8,16,32", "--samples", "1e7"};
  const json fastest = printed(plan_of(sizes));
  EXPECT_EQ(fastest["results"][0]["gpus"], 32);
  const double hours = fastest["results"][0]["hours"].get<double>();
  std::vector<std::string> late = sizes;
  late.insert(late.end(), {"--deadline", std::to_string(10 * hours) + "h"});
  EXPECT_EQ(printed(plan_of(late))["results"][0]["gpus"], 8);
}

TEST(PlanCommand, AWishThatNothingMeetsIsToldByHowMuch) {
  const json plan = printed(plan_of({"--gpus", "8", "--samples", "1e8", "--deadline", "1h"}));
  EXPECT_FALSE(plan["results"][0]["meets"].get<bool>());
  EXPECT_TRUE(plan["outlook"][0].get<std::string>().starts_with(
      "Nothing meets the deadline of 1 hours: the fastest, 8 GPUs of rtx2080ti-16x4-10gbe, "
      "takes "));
  EXPECT_GE(plan["outlook"].size(), 2U);
  const json poor = printed(plan_of({"--gpus", "8", "--samples", "1e8", "--budget", "1"}));
  EXPECT_TRUE(poor["outlook"][0].get<std::string>().starts_with(
      "Nothing meets the budget of 1 USD: the cheapest, 8 GPUs of "))
      << poor["outlook"];
}

TEST(PlanCommand, FaultsMakeTheJobLonger) {
  const std::vector<std::string> job{"--gpus", "16", "--samples", "1e9"};
  std::vector<std::string> faulty = job;
  faulty.insert(faulty.end(), {"--node-mtbf", "100h", "--checkpoint", "2m", "--restart", "10m"});
  const json without = printed(plan_of(job));
  const json with = printed(plan_of(faulty));
  EXPECT_GT(with["results"][0]["hours"].get<double>(),
            1.02 * without["results"][0]["hours"].get<double>());
  EXPECT_TRUE(with["outlook"].back().get<std::string>().starts_with("Faults every "));
}

TEST(PlanCommand, FiguresAndTablesHoldEveryChoice) {
  const TemporaryFolder folder;
  const Outcome outcome = run_cli(
      plan_of({"--gpus", "8,16", "--csv", folder.file("p.csv"), "--figure", folder.file("p.svg")}));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(text_of(folder.file("p.csv")).starts_with("cluster,gpus,layout,schedule,options,"));
  EXPECT_NE(text_of(folder.file("p.svg")).find("rtx2080ti-16x4-10gbe"), std::string::npos);
}

TEST(PlanCommand, ATransformerRunsOnTheDeviceOfEachCluster) {
  const std::string shape = "transformer:layers=4,hidden=512,heads=8,seq=512,vocab=5120";
  const json plan = printed({"plan", "--workload", shape, "--clusters", "dgx-a100,dgx-h100",
                             "--gpus", "8", "--global-batch", "16", "--schedules", "1f1b"});
  EXPECT_EQ(plan["results"][0]["cluster"], "dgx-h100");
  EXPECT_NE(plan["command"].get<std::string>().find("device=h100"), std::string::npos);
}

std::string error_of_transformer(const std::string& option, const std::string& schedules) {
  std::vector<std::string> typed{
      "plan",           "--workload", "transformer:layers=4,hidden=512,heads=8,seq=512,vocab=5120",
      "--clusters",     "dgx-a100",   "--gpus",
      "8,24",           "--set",      option,
      "--global-batch", "48"};
  if (!schedules.empty())
    typed.insert(typed.end(), {"--schedules", schedules});
  const Outcome outcome = run_cli(typed);
  EXPECT_EQ(outcome.exit_code, 2) << outcome.out;
  EXPECT_EQ(outcome.out, "");
  return outcome.err;
}

// Data-parallel runs were told as if nobody had asked for it.
TEST(PlanCommand, AFixedPartOfTheLayoutThatNoLayoutHasIsRefused) {
  for (const char* schedules : {"", "1f1b"})
    EXPECT_EQ(error_of_transformer("tp=3", schedules),
              "stepcast: --set tp: no layout has tp=3: expected one of 1, 2, 4, 8, which divide "
              "the 8 heads and the GPUs of a node\n");
  EXPECT_EQ(
      error_of_transformer("pp=6", ""),
      "stepcast: --set pp: no layout has pp=6: expected a divisor of the GPUs, 4 (the layers) "
      "at most\n");
  EXPECT_EQ(error_of_transformer("ep=2", ""),
            "stepcast: --set ep: no layout has ep=2: expected 1, as the model has no experts\n");
  EXPECT_EQ(error_of_transformer("micro_batch=7", ""),
            "stepcast: --set micro_batch: no layout has micro_batch=7: expected a divisor of the "
            "samples of a step\n");
}

// 0 was no limit at all.
TEST(PlanCommand, NothingFitsIntoNoMemory) {
  EXPECT_EQ(error_of({"--max-memory-per-gpu", "0B"}),
            "stepcast: --max-memory-per-gpu: expected a size above zero such as 70GiB, found 0\n");
}

TEST(PlanCommand, BatchesWhoseTimesNobodyKnowsAreToldFirst) {
  const auto first_note = [](const std::string& workload, const char* schedule) {
    const json plan =
        printed({"plan", "--workload", workload, "--clusters", "v100-4x8-edr", "--gpus", "4",
                 "--schedules", schedule, "--global-batch", "128", "--fidelity", "analytic"});
    return plan["notes"][0].get<std::string>();
  };
  const std::string doubt =
      "The trace does not say how times follow the batch, so layer times are those of batch 128";
  for (const char* schedule : {"ddp", "1f1b"})
    EXPECT_TRUE(first_note("vgg16-pipedream-bs128", schedule).starts_with(doubt)) << schedule;
  EXPECT_FALSE(first_note("resnet50-rtx2080ti-bs32", "ddp").starts_with("The trace"));
}

}  // namespace
}  // namespace stepcast
