// Wrong input as a user meets it: one line on stderr, exit code 2, nothing on stdout.
#include <gtest/gtest.h>

#include "tests/sim/cli/run_cli.hpp"

namespace stepcast {
namespace {

const std::string kWorkload = "resnet50-rtx2080ti-bs64";
const std::string kCluster = "rtx2080ti-16x4-10gbe";

/// `stepcast run` on good input, with more arguments.
std::vector<std::string> run_with(const std::vector<std::string>& more) {
  std::vector<std::string> arguments{"run",       "--workload", kWorkload,
                                     "--cluster", kCluster,     "--schedule",
                                     "dear",      "--fidelity", "analytic"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

void expect_refused(const std::vector<std::string>& arguments, const std::string& expected) {
  const Outcome outcome = run_cli(arguments);
  EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(outcome.err.starts_with("stepcast: ")) << outcome.err;
  EXPECT_EQ(lines_of(outcome.err).size(), 1U) << outcome.err;
  EXPECT_NE(outcome.err.find(expected), std::string::npos)
      << "expected " << expected << "\n   found " << outcome.err;
}

/// A workload file of one layer whose forward time is `forward`.
std::string workload_text(const std::string& forward, const std::string& layers = "") {
  const std::string layer = R"({"name": "fc", "kind": "Linear", "forward_s": )" + forward +
                            R"(, "backward_s": 0.02, "parameters": []})";
  return R"({"format": "stepcast-workload", "version": 1, "name": "tiny", "model": "tiny",
    "device": "any", "batch": 1, "precision": "fp32", "batch_scaling": "unknown",
    "provenance": {"kind": "assumed", "source": "a test"},
    "layers": [)" +
         (layers == "none" ? "" : layer) + "]}";
}

TEST(InputErrors, UnknownNamesComeWithTheNearestOne) {
  expect_refused({"run", "--workload", "resnet50-rtx2080ti-bs46", "--cluster", kCluster},
                 "unknown workload \"resnet50-rtx2080ti-bs46\" (see stepcast list workloads); did "
                 "you mean \"resnet50-rtx2080ti-bs64\"?");
  expect_refused({"run", "--workload", kWorkload, "--cluster", "rtx2080ti-16x4-10gb"},
                 "did you mean \"rtx2080ti-16x4-10gbe\"?");
  expect_refused({"run", "--workload", kWorkload, "--cluster", kCluster, "--schedule", "daer"},
                 "did you mean \"dear\"?");
  expect_refused(
      {"compare", "--workload", kWorkload, "--cluster", kCluster, "--schedules", "bsp,wfpb"},
      "did you mean \"wfbp\"?");
  expect_refused({"run", "dear-64gpu-10gb"}, "did you mean \"dear-64gpu-10gbe\"?");
  expect_refused(run_with({"--fidelity", "flow"}), "--fidelity");
}

TEST(InputErrors, UnknownSettingsComeWithTheNearestOne) {
  expect_refused(run_with({"--set", "fusion_bufer=30MiB"}), "did you mean \"fusion_buffer\"?");
  expect_refused(run_with({"--set", "cluster.nic.bandwith=25Gbps"}),
                 "did you mean \"nic.bandwidth\"?");
  expect_refused(
      {"compare", "--workload", kWorkload, "--cluster", kCluster, "--set", "fusion_bufer=30MiB"},
      "did you mean \"fusion_buffer\"?");
}

TEST(InputErrors, WrongUnitsAndImpossibleTimesAreRefused) {
  expect_refused(run_with({"--set", "cluster.nic.bandwidth=25"}), "expected a bandwidth");
  expect_refused(run_with({"--set", "cluster.nic.startup=10"}), "expected a time");
  expect_refused(run_with({"--set", "step_time=-1ms"}), "expected a time");
  expect_refused(run_with({"--set", "step_time=0s"}), "expected a time above zero");
  expect_refused(run_with({"--set", "step_time=nan"}), "expected a time");
  expect_refused(run_with({"--set", "straggler.3=nan"}), "expected a number");
  expect_refused(run_with({"--set", "fusion_buffer=big"}), "expected a size");
}

TEST(InputErrors, ZeroGpusAreRefused) {
  expect_refused(run_with({"--nodes", "0"}), "--nodes: expected");
  expect_refused(run_with({"--gpus-per-node", "0"}), "--gpus-per-node: expected");
  expect_refused(run_with({"--set", "cluster.nodes=0"}), "cluster.nodes=0: expected");
  expect_refused({"run", "--workload", kWorkload, "--cluster", "ideal-0x4", "--schedule", "bsp"},
                 "ideal-0x4");
  expect_refused({"collective", "--cluster", kCluster, "--gpus", "0"}, "--gpus: expected");
}

TEST(InputErrors, MoreRanksThanTheClusterHasAreRefused) {
  expect_refused(run_with({"--set", "straggler.99=1.5"}),
                 "straggler.99: the cluster has 64 ranks, from 0 to 63");
  expect_refused({"collective", "--cluster", kCluster, "--gpus", "128"},
                 "--gpus 128: cluster rtx2080ti-16x4-10gbe has 64 GPUs");
  expect_refused({"collective", "--cluster", kCluster, "--gpus", "6"}, "whole nodes");
}

TEST(InputErrors, AFileThatIsNoneIsRefused) {
  const TemporaryFolder folder;
  const auto refused = [](const std::string& path, const std::string& expected) {
    expect_refused({"run", "--workload", path, "--cluster", kCluster, "--schedule", "dear"},
                   expected);
  };
  refused(folder.file("missing.json"), "missing.json: not found");
  refused(folder.file("") + "/", "is a directory, expected a file");
  refused(folder.file("empty.json", ""), "empty.json: is empty");
}

TEST(InputErrors, AFileWithWrongContentIsRefusedWithItsPlace) {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& text, const std::string& expected) {
    expect_refused({"run", "--workload", folder.file("w.json", text), "--cluster", kCluster,
                    "--schedule", "dear"},
                   expected);
  };
  refused(workload_text("0.01").substr(0, 100), "w.json: line ");
  refused(workload_text("\"\xff\""), "UTF-8");
  refused(workload_text("-1"), "/layers/0/forward_s");
  refused(workload_text("NaN"), "w.json: line ");
  refused(workload_text("0.01, \"forwrd_s\": 1"), "forwrd_s");
  refused(workload_text("0.01", "none"), "/layers");
}

TEST(InputErrors, ALayerWithoutParametersIsAllowed) {
  const TemporaryFolder folder;
  const Outcome outcome =
      run_cli({"run", "--workload", folder.file("w.json", workload_text("0.01")), "--cluster",
               "ideal-1x2", "--schedule", "bsp"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
}

TEST(InputErrors, UnwritableOutputLeavesNothingBehind) {
  const TemporaryFolder folder;
  expect_refused(run_with({"--timeline", folder.file("none/t.json")}),
                 "t.json: cannot be written: there is no folder");
  expect_refused(run_with({"--timeline", folder.file("")}), "cannot be written: is a directory");
  expect_refused({"derive", "resnet50", "--device", "rtx2080ti", "--batch", "8", "--step-time",
                  "50ms", "-o", folder.file("none/w.json")},
                 "w.json: cannot be written");
  EXPECT_TRUE(folder.empty());
}

TEST(InputErrors, AFullDiskIsAnErrorAlsoForStandardFiles) {
  const Outcome outcome = run_cli(run_with({"--timeline", "/dev/full"}));
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("/dev/full: cannot be written"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.out.find("throughput"), std::string::npos);  // The result is there.
}

TEST(InputErrors, AFailedRunWritesNoTimeline) {
  const TemporaryFolder folder;
  expect_refused(run_with({"--timeline", folder.file("t.json"), "--set", "fusion_buffer=big"}),
                 "fusion_buffer");
  EXPECT_TRUE(folder.empty());
}

TEST(InputErrors, WhatIsBeyondAnyMachineIsRefusedWhereverItStands) {
  expect_refused(run_with({"--set", "cluster.nic.startup=1e300s"}),
                 "cluster.nic.startup=1e300s: expected a time of 0 or from 1e-15 s to 1e9 s");
  expect_refused(run_with({"--set", "cluster.overlap.compute_slowdown=1e30"}),
                 "expected a factor of at most 1e6");
  expect_refused(run_with({"--set", "fusion_buffer=1e300B"}), "expected a size of at most 1e18 B");
  const TemporaryFolder folder;
  const std::string file = folder.file("w.json", workload_text("1e308"));
  expect_refused({"run", "--workload", file, "--cluster", kCluster, "--schedule", "bsp"},
                 "/layers/0/forward_s: expected a time of 0 or from 1e-15 s to 1e9 s");
}

TEST(InputErrors, AMessageThatSimGridCannotCountIsNoDeadlock) {
  // 1e13 parameters are 4e13 B; an edge of the ring moves nearly twice as much, and 2^63 units of
  // 2^-20 B, which a message may hold, are 8.8e12 B.
  const TemporaryFolder folder;
  std::string text = workload_text("0.01");
  const std::string none = "\"parameters\": []";
  text.replace(text.find(none), none.size(),
               R"("parameters": [{"name": "w", "elements": 10000000000000}])");
  const std::string file = folder.file("w.json", text);
  const auto at = [&](const char* fidelity) -> std::vector<std::string> {
    return {"run",        "--workload", file,         "--cluster", kCluster,
            "--schedule", "bsp",        "--fidelity", fidelity};
  };
  expect_refused(at("flow"), "expected at most 8 TiB; --fidelity analytic takes any");
  std::vector<std::string> slowed = at("flow");
  slowed.insert(slowed.end(), {"--slow", "lognormal:sigma=0.2,on=network", "--seeds", "1"});
  expect_refused(slowed, "all rounds between two GPUs and what slows it down included");
  EXPECT_EQ(run_cli(at("step")).exit_code, 0);  // a message in each of the ring's 126 rounds
  EXPECT_EQ(run_cli(at("analytic")).exit_code, 0);
}

TEST(InputErrors, SettingsOfOptimiseAreThoseOfDdpWhereNoScheduleIsNamed) {
  for (const auto& [setting, what] :
       {std::pair{"nonsense=1", "ddp: unknown option \"nonsense\": expected one of bucket"},
        {"bucket=big", "expected a size"},
        {"bukket=3MiB", "did you mean \"bucket\""}}) {
    const Outcome outcome = run_cli({"optimise", "--workload", "resnet50-rtx2080ti-bs64",
                                     "--cluster", "ideal-2x2", "--set", setting});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_NE(outcome.err.find(what), std::string::npos) << outcome.err;
  }
}

// Its buckets have nothing to hold. A schedule that is named is edited all the same.
TEST(InputErrors, OptimiseWithoutAScheduleExpectsGradients) {
  const TemporaryFolder folder;
  std::vector<std::string> words{"optimise", "--workload",
                                 folder.file("tiny.json", workload_text("0.01")), "--cluster",
                                 kCluster};
  expect_refused(words, "tiny: expected a workload with gradients, found none");
  words.insert(words.end(), {"--schedule", "ddp"});
  EXPECT_EQ(run_cli(words).exit_code, 0);
}

TEST(InputErrors, NoTimeIsNoLimit) {
  const Outcome outcome = run_cli({"version", "--max-time", "0s"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("--max-time: expected a time above 0"), std::string::npos);
}

// 3,000 nodes were simulated until the time was up, without a word.
TEST(InputErrors, AnAsynchronousScheduleBeyondTheTimeIsNotBegun) {
  const std::vector<std::string> words{"run",
                                       "--workload",
                                       "resnet50-rtx2080ti-bs64",
                                       "--cluster",
                                       "rtx2080ti-16x4-10gbe",
                                       "--nodes",
                                       "3000",
                                       "--schedule",
                                       "prague-smart",
                                       "--max-time",
                                       "60s"};
  const Outcome outcome = run_cli(words);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("prague-smart of 12000 GPUs at flow fidelity take about "),
            std::string::npos)
      << outcome.err;
  EXPECT_NE(
      outcome.err.find(" are allowed; --max-time TIME allows more; --fidelity analytic takes less"),
      std::string::npos)
      << outcome.err;
}

TEST(InputErrors, ANameOfAnyLengthIsShortened) {
  const Outcome outcome = run_cli({"run", "--edge", std::string(3000, 'x')});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_LT(outcome.err.size(), 400U);
}

TEST(InputErrors, TimeAndMemoryMayBeWithoutLimit) {
  EXPECT_EQ(run_cli({"version", "--max-time", "none", "--max-memory", "none"}).exit_code, 0);
  EXPECT_NE(run_cli({"version", "--max-time", "soon"}).err.find("--max-time: expected a time"),
            std::string::npos);
}

}  // namespace
}  // namespace stepcast
