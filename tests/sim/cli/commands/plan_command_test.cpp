#include <set>

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

TEST(PlanCommand, WithoutAPriceCostsAreGpuHours) {
  const TemporaryFolder folder;
  const std::string file = folder.file(
      "mine.json",
      R"({"format": "stepcast-prices", "version": 1, "name": "mine", "currency": "EUR", "date": "2026-01",
          "provenance": {"kind": "assumed", "source": "a test"}, "prices": [{"device": "b200", "gpu_hour": 9}]})");
  const json plan = printed(plan_of({"--gpus", "8,16", "--prices", file}));
  EXPECT_EQ(plan["prices"]["currency"], "GPU hours");
  for (const json& choice : plan["results"])
    EXPECT_DOUBLE_EQ(choice["cost"], choice["gpus"].get<double>() * choice["hours"].get<double>());
  EXPECT_EQ(plan["notes"][0],
            "Costs are GPU hours, as mine has no price of cluster \"rtx2080ti-16x4-10gbe\" or "
            "device \"rtx2080ti\".");
  EXPECT_EQ(error_of({"--prices", file, "--budget", "500"}),
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

TEST(PlanCommand, TheCommandOfEachResultForecastsItsStep) {
  const json plan = printed(plan_of({"--gpus", "8,16", "--global-batch", "512"}));
  EXPECT_EQ(plan["command"], plan["results"][0]["command"]);
  for (const json& choice : plan["results"]) {
    std::vector<std::string> words;
    std::istringstream text(choice["command"].get<std::string>());
    for (std::string word; text >> word;)
      words.push_back(word);
    words.erase(words.begin());
    EXPECT_EQ(printed(words)["iteration_time_s"], choice["iteration_time_s"]);
  }
}

// 100 Gb/s are faster than 10, so that nothing of the slower cluster is the best of a size.
TEST(PlanCommand, TheBestOfEachClusterIsFound) {
  const json plan = printed({"plan", "--workload", "resnet50-rtx2080ti-bs32", "--clusters",
                             "rtx2080ti-16x4-10gbe,rtx2080ti-16x4-ib100", "--gpus", "16,32",
                             "--schedules", "ddp,dear"});
  ASSERT_EQ(plan["best_of_each_cluster"].size(), 2U);
  EXPECT_EQ(plan["best_of_each_cluster"][0], plan["results"][0]);
  EXPECT_EQ(plan["best_of_each_cluster"][0]["cluster"], "rtx2080ti-16x4-ib100");
  EXPECT_EQ(plan["best_of_each_cluster"][1]["cluster"], "rtx2080ti-16x4-10gbe");
}

// A step of all errors' range overlaps with itself, and not with one that takes four times as long.
TEST(PlanCommand, ResultsWhoseRangesOverlapWithTheBestAreNotToldApart) {
  const json plan = printed(plan_of({"--gpus", "8,64", "--samples", "1e7"}));
  const json& best = plan["results"][0];
  EXPECT_TRUE(best["indistinguishable"].get<bool>());
  const auto of = [](const json& choice, const char* end) {
    return choice["hours"].get<double>() * choice[end].get<double>() /
           choice["iteration_time_s"].get<double>();
  };
  std::set<bool> seen;
  for (const json& choice : plan["results"]) {
    EXPECT_EQ(choice["indistinguishable"],
              of(choice, "iteration_time_low_s") <= of(best, "iteration_time_high_s"));
    seen.insert(choice["indistinguishable"].get<bool>());
  }
  EXPECT_EQ(seen.size(), 2U);
}

json plan_of_gpt(std::vector<std::string> more) {
  std::vector<std::string> words{"plan",        "--workload", "transformer:model=gpt-22b",
                                 "--clusters",  "dgx-a100",   "--global-batch",
                                 "64",          "--set",      "zero=1",
                                 "--schedules", "1f1b"};
  words.insert(words.end(), more.begin(), more.end());
  return printed(words);
}

TEST(PlanCommand, AReserveOfMemoryStaysFree) {
  const auto most_of = [](const char* reserve) {
    double most = 0;
    const json plan = plan_of_gpt({"--gpus", "64", "--memory-reserve", reserve});
    for (const json& choice : plan["results"])
      if (choice["fits"].get<bool>())
        most = std::max(most, choice["memory_bytes"].get<double>());
    return most;
  };
  constexpr double kRest = 0.3 * 80 * 1024 * 1024 * 1024;
  EXPECT_LE(most_of("70%"), kRest);
  EXPECT_GT(most_of("70%"), 0.5 * kRest);
  EXPECT_GT(most_of("0"), kRest);
  EXPECT_EQ(error_of({"--memory-reserve", "100%"}),
            "stepcast: --memory-reserve: expected a share from 0 to below 1 such as 6%, found "
            "\"100%\"\n");
}

// Each size by itself says whether something fits it.
TEST(PlanCommand, TheFewestGpusThatFitAreTold) {
  for (const char* memory : {"80GiB", "40GiB", "20GiB"}) {
    const std::vector<std::string> limits{"--set", "recompute=none", "--max-memory-per-gpu", memory,
                                          "--gpus"};
    const auto with_sizes = [&](const std::string& sizes) {
      std::vector<std::string> more = limits;
      more.push_back(sizes);
      return plan_of_gpt(more);
    };
    std::string fewest;
    for (const char* gpus : {"8", "32", "64"})
      if (fewest.empty() && with_sizes(gpus)["results"][0]["fits"].get<bool>())
        fewest = gpus;
    const std::string last = with_sizes("8,32,64")["outlook"].back();
    EXPECT_TRUE(
        last.starts_with("Fewest GPUs of dgx-a100 that fit, of the sizes given: " + fewest + ", "))
        << last;
  }
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
