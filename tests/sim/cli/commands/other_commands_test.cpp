#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/sim/cli/run_cli.hpp"

namespace stepcast {
namespace {

using nlohmann::json;

TEST(ListCommand, ListsEveryKindInHundredColumns) {
  const Outcome outcome = run_cli({"list"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* name : {"resnet50-rtx2080ti-bs64", "rtx2080ti-16x4-10gbe", "\ndear ",
                           "\nrtx2080ti ", "\nbert-large ", "dear-64gpu-10gbe"})
    EXPECT_NE(outcome.out.find(name), std::string::npos) << name;
  for (const std::string& line : lines_of(outcome.out))
    EXPECT_LE(line.size(), 100U) << line;
}

TEST(ShowCommand, EverythingThatIsListedCanBeShown) {
  const json names = json::parse(run_cli({"list", "--json"}).out);
  ASSERT_EQ(names.size(), 10U);
  for (const auto& [kind, list] : names.items()) {
    for (const std::string name : list) {
      if (name.starts_with("ideal"))
        continue;
      const Outcome outcome = run_cli({"show", name});
      EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
      EXPECT_NE(outcome.out.find(kind == "experiments" ? "workload" : name), std::string::npos)
          << outcome.out;
      EXPECT_TRUE(json::accept(run_cli({"show", name, "--json"}).out)) << name;
    }
  }
}

// A cluster that gives 0 for a cost says something else than one that leaves it out.
TEST(ShowCommand, CostsThatAClusterDoesNotGiveAreToldFromThoseThatAreZero) {
  const auto facts_of = [](const char* cluster) { return run_cli({"show", cluster}).out; };
  const std::string given = facts_of("rtx2080ti-16x4-ib100");
  EXPECT_NE(given.find("software.point_to_point_launch    0 s\n"), std::string::npos) << given;
  EXPECT_NE(given.find("software.jitter_between_nodes     0\n"), std::string::npos) << given;
  const std::string missing = facts_of("dgx-a100");
  for (const char* field :
       {"point_to_point_launch ", "negotiation_per_rank  ", "jitter_between_nodes  "})
    EXPECT_NE(missing.find(std::string("software.") + field + "   not given, taken as 0\n"),
              std::string::npos)
        << field << missing;
}

TEST(ShowCommand, AGoalShowsItsWaysOfTraining) {
  const Outcome outcome = run_cli({"show", "resnet50-imagenet"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* text : {"75.9 % top-1", "1,281,167", "SPD-KFAC, every step", "assumed"})
    EXPECT_NE(outcome.out.find(text), std::string::npos) << text << "\n" << outcome.out;
}

TEST(ShowCommand, ClusterFieldsAreShownByThePathsOfSet) {
  const Outcome outcome = run_cli({"show", "ideal-2x4"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("nic.bandwidth"), std::string::npos);
  EXPECT_NE(outcome.out.find("12.5 GB/s"), std::string::npos);  // 100 Gb/s
}

TEST(ShowCommand, AnExperimentShowsAllItsSettings) {
  const TemporaryFolder folder;
  const std::string file =
      folder.file("e.json", R"({"format": "stepcast-experiment", "version": 1, "workload":
      "resnet50-rtx2080ti-bs64", "cluster": "rtx2080ti-16x4-10gbe", "schedules": ["ddp"],
      "set": {"global_batch": "4096", "batch_fixed_part": "0.1"}})");
  const Outcome outcome = run_cli({"show", file});
  EXPECT_NE(outcome.out.find("global_batch=4096 batch_fixed_part=0.1"), std::string::npos)
      << outcome.out << outcome.err;
}

TEST(ShowCommand, FindsTheKindOfAFileByItsFormat) {
  const Outcome outcome = run_cli({"show", STEPCAST_SOURCE_DIR "/configs/devices/rtx2080ti.json"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("fp32 peak"), std::string::npos) << outcome.out;
}

TEST(SchemaCommand, PrintsASchemaOfEachFormat) {
  for (const std::string& name : lines_of(run_cli({"schema"}).out)) {
    const Outcome outcome = run_cli({"schema", name});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_TRUE(json::parse(outcome.out).contains("$schema")) << name;
  }
}

TEST(DeriveCommand, WritesAWorkloadOfTheGivenStepTime) {
  const TemporaryFolder folder;
  const std::string file = folder.file("w.json");
  const Outcome outcome = run_cli({"derive", "resnet50", "--device", "rtx2080ti", "--batch", "32",
                                   "--throughput", "320 samples/s", "-o", file});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  std::ifstream stream(file);
  const json workload = json::parse(stream);
  EXPECT_EQ(workload["name"], "resnet50-rtx2080ti-bs32");
  double step = 0;
  for (const json& layer : workload["layers"])
    step += layer["forward_s"].get<double>() + layer["backward_s"].get<double>();
  EXPECT_NEAR(step, 0.1, 1e-6);  // 32 samples at 320 samples/s
}

TEST(DeriveCommand, ImpossibleRatesAndTimesAreRefused) {
  const auto refused = [](const std::string& option, const std::string& value) {
    return run_cli({"derive", "resnet50", "--device", "rtx2080ti", "--batch", "32", option, value})
        .exit_code;
  };
  EXPECT_EQ(refused("--throughput", "0"), 2);
  EXPECT_EQ(refused("--throughput", "nan"), 2);
  EXPECT_EQ(refused("--step-time", "0s"), 2);
  EXPECT_EQ(refused("--step-time", "12"), 2);
  EXPECT_EQ(refused("--throughput", "1e300"), 2);
  EXPECT_EQ(refused("--throughput", "1e-300"), 2);
  EXPECT_EQ(refused("--step-time", "1e-300s"), 2);
}

// It said step_time, which nobody had typed.
TEST(DeriveCommand, NamesWhatWasTyped) {
  const auto refusal = [](const std::string& option, const std::string& value,
                          const std::string& optimiser) {
    const Outcome outcome = run_cli({"derive", "resnet50", "--device", "rtx2080ti", "--batch", "32",
                                     option, value, "--optimiser", optimiser});
    EXPECT_EQ(outcome.exit_code, 2);
    return outcome.err;
  };
  for (const auto& [option, value] : {std::pair{"--step-time", "1us"}, {"--throughput", "32e6"}})
    EXPECT_TRUE(refusal(option, value, "sgd")
                    .starts_with("stepcast: --step-time (or that of --throughput): expected more "
                                 "than the update's "));
  EXPECT_EQ(refusal("--step-time", "100ms", "lamb"),
            "stepcast: --optimiser: expected one of sgd, adam, torch-sgd, torch-momentum, "
            "torch-adam, torch-adamw, found \"lamb\"\n");
}

TEST(DeriveCommand, TellsWhatTheStepTimeHolds) {
  EXPECT_NE(run_cli({"derive", "--help"}).out.find("with --optimiser its update, too"),
            std::string::npos);
}

// The file was written, and refused by whatever read it.
TEST(DeriveCommand, WhatWouldNotBeReadIsNotWritten) {
  const TemporaryFolder folder;
  const std::string config = folder.file("config.json"), output = folder.file("out.json");
  std::ofstream(config) << R"({"model_type": "gpt2", "n_embd": 8192, "n_head": 64})";
  const Outcome outcome = run_cli(
      {"derive", "--hf", config, "--device", "h100", "--batch", "4294967295", "-o", output});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("derive: /layers/"), std::string::npos) << outcome.err;
  EXPECT_FALSE(std::filesystem::exists(output));
}

// A linear layer with 4 outputs for a batch of 4, hence activations of 64 bytes.
constexpr const char* kGraph =
    "node1 -- Input0 -- forward_compute_time=0.000, backward_compute_time=0.000, "
    "activation_size=0.0, parameter_size=0.000\n"
    "node2 -- Linear(in_features=8, out_features=4, bias=True) -- forward_compute_time=1.000, "
    "backward_compute_time=2.000, activation_size=64.0, parameter_size=144.000\n"
    "a line that means nothing\n"
    "\tnode1 -- node2\n";

TEST(ImportCommand, CountsWhatItSkipsOnStderrAndRefusesItIfStrict) {
  const TemporaryFolder folder;
  const std::string trace = folder.file("graph.txt", kGraph);
  const std::string file = folder.file("w.json");
  const Outcome outcome = run_cli({"import", trace, "--model", "tiny", "--batch", "4", "-o", file});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("1 skipped: "), std::string::npos) << outcome.err;
  std::ifstream stream(file);
  EXPECT_EQ(json::parse(stream)["model"], "tiny");
  EXPECT_EQ(run_cli({"import", trace, "--batch", "4", "--strict"}).exit_code, 2);
}

TEST(ImportCommand, TellsWhatIsKnownOfTheWorkloadAndWhatToDoNext) {
  const TemporaryFolder folder;
  const std::string trace = folder.file("graph.txt", kGraph);
  const std::string file = folder.file("w.json");
  const Outcome outcome = run_cli({"import", trace, "--batch", "4", "-o", file});
  EXPECT_NE(outcome.err.find("\n  the GPU is not stated in the file\n"), std::string::npos);
  EXPECT_NE(outcome.err.find("next: stepcast run --workload " + file + " --cluster"),
            std::string::npos)
      << outcome.err;
}

TEST(ImportCommand, WritesNothingForATraceThatItRefuses) {
  const TemporaryFolder folder;
  const std::string trace = folder.file("graph.txt", kGraph);
  const std::string file = folder.file("w.json");
  EXPECT_EQ(run_cli({"import", trace, "--batch", "4", "--strict", "-o", file}).exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(ExplainCommand, DefinesATerm) {
  const Outcome outcome = run_cli({"explain", "throughput"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(outcome.out.starts_with("throughput")) << outcome.out;
}

// As tables of stages have it.
TEST(ExplainCommand, KnowsTheBubbleByItself) {
  const Outcome outcome = run_cli({"explain", "bubble"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(outcome.out.starts_with("bubble ms")) << outcome.out;
}

TEST(Json, NamesTheVersionAndWhatWasForecastTheFidelity) {
  const std::string cluster = "rtx2080ti-16x4-10gbe";
  const std::string workload = "resnet50-rtx2080ti-bs32";
  const std::vector<std::vector<std::string>> forecasts{
      {"run", "--cluster", cluster, "--workload", workload, "--schedule", "dp-kfac", "--parts",
       "exposed"},
      {"compare", "--cluster", cluster, "--workload", workload, "--steps", "ddp=100"}};
  const auto json_of = [](std::vector<std::string> command) {
    command.insert(command.end(), {"--fidelity", "analytic", "--json"});
    const Outcome outcome = run_cli(command);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return json::parse(outcome.out);
  };
  const std::string version = json_of(
      {"run", "--cluster", cluster, "--workload", workload, "--schedule", "ddp"})["version"];
  for (const auto& command : forecasts) {
    EXPECT_EQ(json_of(command)["version"], version) << command.front();
    EXPECT_EQ(json_of(command)["fidelity"], "analytic") << command.front();
  }
  EXPECT_EQ(json_of({"collective", "--cluster", cluster})["version"], version);
  EXPECT_EQ(json_of({"validate"})["version"], version);
}

TEST(ExplainCommand, PrintsJsonToo) {
  const json one = json::parse(run_cli({"explain", "busbw", "--json"}).out);
  ASSERT_EQ(one["terms"].size(), 1U);
  EXPECT_EQ(one["terms"][0]["name"], "bus bandwidth");
  EXPECT_GT(json::parse(run_cli({"explain", "--json"}).out)["terms"].size(), 20U);
}

// TCP starts up later than NCCL's tuner expects; the GPUs of one node need none.
TEST(CollectiveCommand, NcclOverTcpSaysWhoseConstantsChoose) {
  const auto out_of = [](const char* gpus, const char* algorithm) {
    return run_cli({"collective", "--cluster", "rtx2080ti-16x4-10gbe", "--gpus", gpus,
                    "--algorithm", algorithm, "--fidelity", "analytic"})
        .out;
  };
  EXPECT_NE(out_of("8", "nccl").find("NCCL 2.8.3"), std::string::npos);
  EXPECT_EQ(out_of("4", "nccl").find("NCCL 2.8.3"), std::string::npos);
  EXPECT_EQ(out_of("8", "ring").find("NCCL 2.8.3"), std::string::npos);
}

TEST(CollectiveCommand, RingAllReduceOnAnIdealClusterReachesTheBusBandwidthOfItsNic) {
  // Ring over 8 ranks in 2 nodes, no start-up: 2 * 7/8 * 32 MiB / 12.5 GB/s = 4697.6 us, hence
  // busbw = 12.5 GB/s.
  const Outcome outcome =
      run_cli({"collective", "--cluster", "ideal-2x4", "--size", "32MiB", "--algorithm", "ring",
               "--fidelity", "analytic,flow,step", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json results = json::parse(outcome.out)["results"];
  ASSERT_EQ(results.size(), 3U);
  for (const json& result : results) {
    EXPECT_NEAR(result["time_s"].get<double>(), 2 * 7.0 / 8 * 33554432 / 12.5e9, 1e-9);
    EXPECT_NEAR(result["busbw_bytes_per_s"].get<double>(), 12.5e9, 1e4);
  }
}

TEST(CollectiveCommand, SendsHaveNoBusBandwidth) {
  const std::vector<std::string> command{"collective", "--cluster",  "ideal-1x2", "--kind",
                                         "send",       "--fidelity", "analytic"};
  const Outcome text = run_cli(command);
  ASSERT_EQ(text.exit_code, 0) << text.err;
  EXPECT_TRUE(lines_of(text.out)[2].ends_with(" -")) << text.out;
  std::vector<std::string> as_json = command;
  as_json.emplace_back("--json");
  const json result = json::parse(run_cli(as_json).out)["results"][0];
  EXPECT_TRUE(result["busbw_bytes_per_s"].is_null());
  EXPECT_TRUE(result["algbw_bytes_per_s"].is_number());
}

TEST(CollectiveCommand, TimeIncludesTheLaunch) {
  const auto time = [](const std::string& launch) {
    const Outcome outcome =
        run_cli({"collective", "--cluster", "ideal-2x4", "--algorithm", "ring", "--fidelity",
                 "flow", "--set", "cluster.software.collective_launch=" + launch, "--json"});
    return json::parse(outcome.out)["results"][0]["time_s"].get<double>();
  };
  EXPECT_NEAR(time("100us") - time("0s"), 100e-6, 1e-12);
}

TEST(CollectiveCommand, SettingsOfATrainingStepAreRefused) {
  for (const char* setting : {"global_batch=64", "batch=8", "fusion_buffer=1MiB"}) {
    const Outcome outcome = run_cli({"collective", "--cluster", "ideal-2x4", "--set", setting});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_NE(outcome.err.find("cluster.<field> settings only"), std::string::npos) << outcome.err;
  }
}

TEST(CollectiveCommand, AnAlgorithmOfAnotherKindIsRefused) {
  const Outcome outcome = run_cli(
      {"collective", "--cluster", "ideal-2x4", "--kind", "all-to-all", "--algorithm", "ring"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("--algorithm: expected one of pairwise"), std::string::npos)
      << outcome.err;
}

TEST(CollectiveCommand, NoBroadcastOfOneRankIsAServersStar) {
  for (const char* kind : {"broadcast", "reduce"}) {
    const Outcome all =
        run_cli({"collective", "--cluster", "ideal-1x2", "--kind", kind, "--size", "1GiB"});
    EXPECT_EQ(all.out.find("star"), std::string::npos) << all.out;
    const Outcome named =
        run_cli({"collective", "--cluster", "ideal-1x2", "--kind", kind, "--algorithm", "star"});
    EXPECT_EQ(named.exit_code, 2);
    EXPECT_EQ(named.err,
              "stepcast: --algorithm: expected one of double-binary-tree, chain, binomial-tree, "
              "found \"star\"\n");
  }
}

TEST(ValidateCommand, ExitsWithFourWhereTheWorstErrorIsAboveTheTolerance) {
  const TemporaryFolder folder;
  // 1 layer of 30 ms without communication on one GPU, "measured" at 60 ms: the error is -50 %.
  folder.file("w.json", R"({"format": "stepcast-workload", "version": 1, "name": "tiny",
    "model": "tiny", "device": "any", "batch": 1, "precision": "fp32", "batch_scaling": "unknown",
    "provenance": {"kind": "assumed", "source": "a test"}, "layers": [{"name": "fc",
    "kind": "Linear", "forward_s": 0.01, "backward_s": 0.02, "parameters": []}]})");
  const std::string file = folder.file("m.json", R"({"format": "stepcast-measurements",
    "version": 1, "name": "m", "provenance": {"kind": "assumed", "source": "a test"},
    "cases": [{"workload": "./w.json", "cluster": "ideal-1x1",
    "schedule": "bsp", "set": {}, "use": "check", "measured_s": 0.06}]})");
  EXPECT_EQ(run_cli({"validate", file}).exit_code, 0);
  EXPECT_EQ(run_cli({"validate", file, "--max-error", "51"}).exit_code, 0);
  const Outcome outcome = run_cli({"validate", file, "--max-error", "49"});
  EXPECT_EQ(outcome.exit_code, 4);
  EXPECT_NE(outcome.err.find("50.0 %"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace stepcast
