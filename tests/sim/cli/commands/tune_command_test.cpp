#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/sim/cli/run_cli.hpp"

namespace stepcast {
namespace {

using nlohmann::json;

std::vector<std::string> tune_with(const std::vector<std::string>& more) {
  std::vector<std::string> arguments{"tune",      "--workload",           "resnet50-rtx2080ti-bs64",
                                     "--cluster", "rtx2080ti-16x4-10gbe", "--fidelity",
                                     "analytic"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

const std::vector<std::string> kBuffer{"--schedule", "dear", "--option", "fusion_buffer"};

std::vector<std::string> tune_buffer(const std::vector<std::string>& more) {
  std::vector<std::string> arguments = kBuffer;
  arguments.insert(arguments.end(), more.begin(), more.end());
  return tune_with(arguments);
}

TEST(TuneCommand, ListsTheTrialsAPlotAndTheBestInAHundredColumns) {
  const Outcome outcome = run_cli(tune_buffer({}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const std::string& line : lines_of(outcome.out))
    EXPECT_LE(line.size(), 100U) << line;
  EXPECT_NE(outcome.out.find("    1          25MiB"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("\nbest: fusion_buffer="), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find('#'), std::string::npos) << outcome.out;
}

TEST(TuneCommand, OneTrialIsNoPlural) {
  EXPECT_NE(run_cli(tune_buffer({"--trials", "1"})).out.find("256MiB, 1 trial\n"),
            std::string::npos);
}

// What they would take was told before.
TEST(TuneCommand, RefusesTooManyTrialsInOneLine) {
  const Outcome outcome = run_cli(tune_buffer({"--trials", "1000000000"}));
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.err, "stepcast: --trials 1000000000: expected at most 4096\n");
}

std::string content_of(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(TuneCommand, WhatIsResumedIsTheSameBytesAsInOneGo) {
  const TemporaryFolder folder;
  const std::string lines = folder.file("trials.jsonl");
  const auto tuned = [&](const char* option, const char* csv) {
    const Outcome outcome =
        run_cli(tune_buffer({"--trials", "5", option, lines, "--csv", folder.file(csv)}));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome;
  };
  const Outcome whole = tuned("--json-lines", "whole.csv");
  const std::string all = content_of(lines);
  ASSERT_EQ(lines_of(all).size(), 5U);
  // Two trials, and half of the third, as after a kill.
  const std::size_t second = all.find('\n', all.find('\n') + 1) + 1;
  std::ofstream(lines, std::ios::binary) << all.substr(0, second + 20);
  const Outcome rest = tuned("--resume", "rest.csv");
  EXPECT_EQ(rest.err, "stepcast: 2 trials are read from " + lines + "\n");
  EXPECT_EQ(rest.out, whole.out);
  EXPECT_EQ(content_of(lines), all);
  EXPECT_EQ(content_of(folder.file("rest.csv")), content_of(folder.file("whole.csv")));
  EXPECT_EQ(lines_of(content_of(folder.file("whole.csv"))).size(), 6U);
}

TEST(TuneCommand, TrialsOfAnotherJobAreNotTaken) {
  const TemporaryFolder folder;
  const std::string lines = folder.file("trials.jsonl");
  const std::vector<std::string> resumed{"--trials", "2", "--set", "step_time=300ms"};
  ASSERT_EQ(run_cli(tune_buffer({"--trials", "2", "--json-lines", lines})).exit_code, 0);
  std::vector<std::string> other = tune_buffer(resumed);
  const std::string fresh = run_cli(other).out;
  other.insert(other.end(), {"--resume", lines});
  EXPECT_EQ(run_cli(other).out, fresh);
  EXPECT_EQ(lines_of(content_of(lines)).size(), 4U);
}

TEST(TuneCommand, RefusesNumbersThatTheStrategyDoesNotUse) {
  const auto refusal_of = [](const std::string& number, const std::string& value,
                             const std::string& strategy) {
    const Outcome outcome = run_cli(tune_buffer({number, value, "--strategy", strategy}));
    EXPECT_EQ(outcome.exit_code, 2) << outcome.out;
    return outcome.err;
  };
  EXPECT_NE(refusal_of("--seed", "3", "grid")
                .find("--seed: the strategy grid does not use it, only random does"),
            std::string::npos);
  EXPECT_NE(refusal_of("--xi", "0.2", "binary")
                .find("--xi: the strategy binary does not use it, only bo does"),
            std::string::npos);
  EXPECT_NE(refusal_of("--first", "2MiB", "exhaustive")
                .find("--first: the strategy exhaustive does not use it, only bo does"),
            std::string::npos);
}

TEST(TuneCommand, NamesTheSeedWhereItIsUsed) {
  EXPECT_NE(run_cli(tune_buffer({"--trials", "2", "--strategy", "random", "--seed", "3"}))
                .out.find("2 trials, seed 3\n"),
            std::string::npos);
}

TEST(TuneCommand, JsonNamesTheFastestOfItsTrials) {
  const Outcome outcome = run_cli(tune_buffer({"--json", "--trials", "6"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json result = json::parse(outcome.out);
  ASSERT_EQ(result["trials"].size(), 6U);
  for (const json& trial : result["trials"])
    EXPECT_GE(trial["iteration_time_s"], result["best"]["iteration_time_s"]);
  EXPECT_EQ(result["trials"][0]["value"], 25.0 * 1048576);
}

TEST(TuneCommand, TheSameCommandPrintsTheSameBytes) {
  EXPECT_EQ(run_cli(tune_buffer({"--strategy", "random", "--seed", "3"})).out,
            run_cli(tune_buffer({"--strategy", "random", "--seed", "3"})).out);
}

TEST(TuneCommand, CsvHasARowForEachTrial) {
  const TemporaryFolder folder;
  const std::string file = folder.file("trials.csv");
  ASSERT_EQ(run_cli(tune_buffer({"--strategy", "grid", "--trials", "4", "--csv", file})).exit_code,
            0);
  std::ifstream stream(file);
  const std::string text(std::istreambuf_iterator<char>(stream), {});
  ASSERT_EQ(lines_of(text).size(), 5U) << text;
  EXPECT_EQ(lines_of(text)[0],
            "trial,fusion_buffer,fusion_buffer_bytes,iteration_time_s,best_so_far_s,"
            "throughput_samples_per_s");
  EXPECT_TRUE(lines_of(text)[1].starts_with("1,1MiB,1048576,")) << text;
}

const std::vector<std::string> kPasses{"--schedule", "wfbp", "--option", "accumulation"};

std::vector<std::string> tune_passes(const std::vector<std::string>& more) {
  std::vector<std::string> arguments = kPasses;
  arguments.insert(arguments.end(), more.begin(), more.end());
  return tune_with(arguments);
}

TEST(TuneCommand, PrintsThroughputWhereStepsDifferInSamples) {
  const Outcome outcome =
      run_cli(tune_passes({"--strategy", "grid", "--low", "1", "--high", "4", "--trials", "2"}));
  EXPECT_NE(outcome.out.find("samples/s"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("\nbest: accumulation=4"), std::string::npos) << outcome.out;
  EXPECT_EQ(run_cli(tune_buffer({"--trials", "2"})).out.find("samples/s"), std::string::npos);
}

TEST(TuneCommand, AValueThatIsRefusedIsAnInfeasibleTrial) {
  const std::vector<std::string> grid{"--strategy", "grid", "--low",    "1022",
                                      "--high",     "1026", "--trials", "2"};
  const Outcome outcome = run_cli(tune_passes(grid));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("infeasible: 1 of 2, such as 1026: "), std::string::npos)
      << outcome.out;
  std::vector<std::string> as_json = grid;
  as_json.emplace_back("--json");
  const json result = json::parse(run_cli(tune_passes(as_json)).out);
  EXPECT_EQ(result["best"]["text"], "1022");
  EXPECT_TRUE(result["trials"][1]["iteration_time_s"].is_null());
  EXPECT_TRUE(result["trials"][1].contains("infeasible"));
}

TEST(TuneCommand, AnOptionWithoutEffectIsSaidToHaveNone) {
  const Outcome outcome = run_cli(tune_buffer({"--set", "fusion=none"}));
  EXPECT_NE(outcome.out.find("fusion_buffer changes nothing"), std::string::npos) << outcome.out;
}

TEST(TuneCommand, WrongUsageIsOneLineAndExitCodeTwo) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {tune_with({"--schedule", "dear"}), "no option given; name one with --option"},
      {tune_with({"--schedule", "dear", "--option", "fusion_bufer"}),
       "did you mean \"fusion_buffer\"?"},
      {tune_with({"--option", "fusion_buffer"}), "no schedule given; name one with --schedule"},
      {tune_buffer({"--low", "9MiB", "--high", "1MiB"}), "the range is reversed"},
      {tune_buffer({"--low", "9MiB", "--high", "9MiB"}), "the range is empty"},
      {tune_buffer({"--trials", "0"}), "--trials: expected a whole number from 1 on, found \"0\""},
      {tune_buffer({"--trials", "99999999999"}),
       "--trials: expected a whole number from 1 to 4294967295, found \"99999999999\""},
      {tune_buffer({"--xi", "-1"}), "--xi: expected a number from 0 on, found -1"},
      {tune_buffer({"--set", "fusion=bo"}), "--set fusion=bo: already tunes fusion_buffer"},
      {tune_buffer({"--strategy", "gird"}), "did you mean \"grid\"?"},
      {tune_buffer({"--scale", "cubic"}), "--scale: expected linear or log"},
      {tune_buffer({"--csv", "/nowhere/trials.csv"}), "/nowhere/trials.csv: cannot be written"},
      {tune_with(
           {"--schedule", "dear", "--option", "algorithm", "--low", "1MiB", "--high", "2MiB"}),
       "option algorithm"},
  };
  for (const auto& [arguments, expected] : cases) {
    const Outcome outcome = run_cli(arguments);
    EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
    EXPECT_EQ(lines_of(outcome.err).size(), 1U) << outcome.err;
    EXPECT_NE(outcome.err.find(expected), std::string::npos) << outcome.err;
  }
}

TEST(RunCommand, FusionByBayesianOptimisationIsARunWithTheBufferFound) {
  const std::vector<std::string> run{"run",
                                     "--workload",
                                     "resnet50-rtx2080ti-bs64",
                                     "--cluster",
                                     "rtx2080ti-16x4-10gbe",
                                     "--schedule",
                                     "dear",
                                     "--fidelity",
                                     "analytic",
                                     "--json",
                                     "--set"};
  std::vector<std::string> tuned = run;
  tuned.emplace_back("fusion=bo");
  const json found = json::parse(run_cli(tuned).out);
  const json trials = json::parse(run_cli(tune_buffer({"--json"})).out);
  EXPECT_EQ(found["schedule"]["options"]["fusion_buffer"], trials["best"]["text"]);
  EXPECT_NEAR(found["iteration_time_s"].get<double>(),
              trials["best"]["iteration_time_s"].get<double>(), 1e-12);
}

// What stood in it was taken for a line that was never finished, and written over.
TEST(TuneCommand, AFileThatIsNoneOfItsOwnIsNotGoneOnFrom) {
  const TemporaryFolder folder;
  const std::string notes = folder.file("notes.txt");
  for (const char* text : {"buy milk", "{\"a\": 1}", "{\"a\": 1}\n"}) {
    std::ofstream(notes) << text;
    const Outcome outcome = run_cli(tune_buffer({"--trials", "2", "--resume", notes}));
    EXPECT_EQ(outcome.exit_code, 2) << text;
    EXPECT_EQ(outcome.err.find("stepcast: " + notes + ": line 1"), 0U) << outcome.err;
    EXPECT_EQ(content_of(notes), text);
  }
}

}  // namespace
}  // namespace stepcast
