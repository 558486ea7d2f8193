// Studies that lose nothing: rows appended as they come, refused combinations, going on later.
#include "sim/cli/study/study_log.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>

#include "tests/sim/cli/run_cli.hpp"
#include "tests/support/input_error.hpp"

namespace stepcast {
namespace {

std::vector<std::string> study_with(const std::vector<std::string>& more) {
  std::vector<std::string> arguments{
      "compare",   "--fidelity",           "analytic",    "--workload", "resnet50-rtx2080ti-bs64",
      "--cluster", "rtx2080ti-16x4-10gbe", "--schedules", "wfbp,dear",  "--nodes",
      "2,4"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

std::string text_of(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void write(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

TEST(Study, WhatIsResumedIsTheSameBytesAsInOneGo) {
  const TemporaryFolder folder;
  const std::string lines = folder.file("study.jsonl");
  const Outcome whole = run_cli(study_with(
      {"--json", "--json-lines", lines, "--csv", folder.file("whole.csv"), "--workers", "1"}));
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  const std::string all = text_of(lines);
  ASSERT_EQ(lines_of(all).size(), 4U);
  // Two lines, and half of the third, as after a kill.
  const std::size_t second = all.find('\n', all.find('\n') + 1) + 1;
  write(lines, all.substr(0, second + 200));
  const Outcome rest = run_cli(study_with(
      {"--json", "--resume", lines, "--csv", folder.file("rest.csv"), "--workers", "1"}));
  ASSERT_EQ(rest.exit_code, 0) << rest.err;
  EXPECT_EQ(rest.err, "stepcast: 2 of 4 forecasts are taken from " + lines + "\n");
  EXPECT_EQ(rest.out, whole.out);
  EXPECT_EQ(text_of(folder.file("rest.csv")), text_of(folder.file("whole.csv")));
  EXPECT_EQ(text_of(lines), all);
}

TEST(Study, ResultsOfOtherSlowDownsAreNotResumed) {
  const TemporaryFolder folder;
  const std::string lines = folder.file("study.jsonl");
  ASSERT_EQ(run_cli(study_with({"--json-lines", lines})).exit_code, 0);
  const Outcome slow = run_cli(study_with({"--resume", lines, "--slow", "rank=0,factor=2"}));
  EXPECT_EQ(slow.err, "stepcast: 0 of 4 forecasts are taken from " + lines + "\n");
  const Outcome seeds =
      run_cli(study_with({"--resume", lines, "--slow", "pareto:alpha=3", "--seeds", "2"}));
  EXPECT_EQ(seeds.err, "stepcast: 0 of 4 forecasts are taken from " + lines + "\n");
}

// The key knew the file's name only.
TEST(Study, ResultsOfAnotherFileOfSlowDownsAreNotResumed) {
  const TemporaryFolder folder;
  const std::string lines = folder.file("study.jsonl");
  const auto resumed_with = [&](const std::string& factor) {
    const std::string file = folder.file("slow.csv", "step,rank,factor\n0,0," + factor + "\n");
    return run_cli(
        study_with({"--resume", lines, "--slow", "recorded:file=" + file, "--iterations", "2"}));
  };
  write(lines, "");
  ASSERT_EQ(resumed_with("1.5").exit_code, 0);
  const auto taken = [&](const char* count) {
    return "stepcast: " + std::string(count) + " of 4 forecasts are taken from " + lines + "\n";
  };
  EXPECT_EQ(resumed_with("1.5").err, taken("4"));
  EXPECT_EQ(resumed_with("2").err, taken("0"));
}

// They were added to the job anew for every number of nodes: eight times as slow for three.
TEST(Study, SlowDownsCountOnceHoweverManyJobsThereAre) {
  const auto row_of = [](const std::string& nodes) {
    const Outcome outcome =
        run_cli({"compare", "--fidelity", "analytic", "--workload", "resnet50-rtx2080ti-bs64",
                 "--cluster", "rtx2080ti-16x4-10gbe", "--schedules", "wfbp", "--nodes", nodes,
                 "--set", "batch=32,64", "--slow", "rank=0,factor=2"});
    const std::size_t row = outcome.out.find("\n2  ");
    return outcome.out.substr(row, outcome.out.find('\n', row + 1) - row);
  };
  EXPECT_EQ(row_of("2,4"), row_of("2,4,8"));
  EXPECT_NE(row_of("2,4"), "");
}

TEST(Study, ResultsOfOtherInputsAreNotResumed) {
  const TemporaryFolder folder;
  const std::string lines = folder.file("study.jsonl");
  ASSERT_EQ(run_cli(study_with({"--json-lines", lines})).exit_code, 0);
  const Outcome other = run_cli(study_with({"--resume", lines, "--set", "step_time=300ms"}));
  ASSERT_EQ(other.exit_code, 0) << other.err;
  EXPECT_EQ(other.err, "stepcast: 0 of 4 forecasts are taken from " + lines + "\n");
  EXPECT_EQ(lines_of(text_of(lines)).size(), 8U);
}

TEST(Study, AForgedFileToResumeIsRefusedAndNotBelieved) {
  const TemporaryFolder folder;
  const std::string lines = folder.file("study.jsonl");
  ASSERT_EQ(run_cli(study_with({"--json-lines", lines, "--workers", "1"})).exit_code, 0);
  const std::string good = text_of(lines);
  const std::size_t flat = good.find("\"forecast\":[") + 12;
  for (const std::string& forged : {std::string("18446744073709551615,"), std::string("-1,"),
                                    std::string("[],"), std::string("\"a\",\"b\",4294967296,")}) {
    write(lines, good.substr(0, flat) + forged + good.substr(flat));
    const Outcome outcome = run_cli(study_with({"--resume", lines}));
    EXPECT_EQ(outcome.exit_code, 2) << forged;
    EXPECT_NE(outcome.err.find("line 1: /forecast/"), std::string::npos) << outcome.err;
  }
}

// --resume used to read /forecast alone, so that /result could say anything.
TEST(Study, ALineWhoseHalvesDifferIsRefused) {
  const TemporaryFolder folder;
  const std::string lines = folder.file("study.jsonl");
  ASSERT_EQ(run_cli(study_with({"--json-lines", lines, "--workers", "1"})).exit_code, 0);
  std::string text = text_of(lines);
  const std::size_t time = text.find("\"iteration_time_s\":") + 19;
  ASSERT_GT(time, 19U);
  text.insert(time, "1");
  write(lines, text);
  const Outcome outcome = run_cli(study_with({"--resume", lines}));
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("line 1: /result: expected the same forecast"), std::string::npos)
      << outcome.err;
}

// All was computed, and nothing kept.
TEST(Study, EndsAtTheFirstRowThatCannotBeWritten) {
  const TemporaryFolder folder;
  const Sweep sweep = plan_sweep({.base = {.workload = "resnet50-rtx2080ti-bs64",
                                           .cluster = "rtx2080ti-16x4-10gbe",
                                           .schedules = {"wfbp"},
                                           .fidelity = "analytic"},
                                  .axes = {{"nodes", {"2", "4"}}}});
  StudyLog log(sweep, {.json_lines = folder.file("lines")});
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{.rlim_cur = 10, .rlim_max = before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  const std::string error = input_error_of([&] { log.add(0, {.refusal = "none"}); });
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_NE(error.find("cannot be written: File too large"), std::string::npos) << error;
}

TEST(Study, ARefusedCombinationIsALineWhereThatIsAsked) {
  // 3 samples do not divide among 8 GPUs, 64 do.
  const TemporaryFolder folder;
  const std::vector<std::string> arguments{"--set",        "global_batch=3,64",
                                           "--csv",        folder.file("t.csv"),
                                           "--json-lines", folder.file("t.jsonl")};
  const Outcome stopped = run_cli(study_with(arguments));
  EXPECT_EQ(stopped.exit_code, 2);
  EXPECT_NE(stopped.err.find("global_batch=3"), std::string::npos) << stopped.err;
  std::vector<std::string> going = arguments;
  going.emplace_back("--keep-going");
  const Outcome table = run_cli(study_with(going));
  EXPECT_EQ(table.exit_code, 0) << table.err;
  EXPECT_NE(table.out.find(
                "global_batch=3, schedule=wfbp: --set global_batch=3: expected a multiple of 8"),
            std::string::npos)
      << table.out;
  EXPECT_EQ(lines_of(text_of(folder.file("t.csv"))).size(), 9U);
  EXPECT_EQ(lines_of(text_of(folder.file("t.jsonl"))).size(), 8U);
  going.emplace_back("--json");
  const auto json = nlohmann::json::parse(run_cli(study_with(going)).out);
  EXPECT_EQ(json["results"].size(), 4U);
  ASSERT_EQ(json["refused"].size(), 4U);
  EXPECT_EQ(json["refused"][0]["combination"]["global_batch"], "3");
  EXPECT_EQ(json["results"][0]["speedup"], 1.0);
}

TEST(Study, TwoOutputsAreTwoFiles) {
  const TemporaryFolder folder;
  const std::string file = folder.file("a.out");
  const Outcome outcome =
      run_cli(study_with({"--csv", file, "--json-lines", folder.file("./a.out")}));
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("is the file of --csv too"), std::string::npos) << outcome.err;
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(Study, AFullDiskIsAnErrorAfterTheTable) {
  if (!std::filesystem::exists("/dev/full"))
    GTEST_SKIP() << "no /dev/full on this system";
  const TemporaryFolder folder;
  std::filesystem::create_symlink("/dev/full", folder.file("full"));
  GrowingFile file(folder.file("full"));
  file.append("line\n");
  EXPECT_NE(input_error_of([&] { file.check(); }).find("cannot be written: "), std::string::npos);
}

// A full disk takes the begin of a row, which stayed; so does a file that may not grow.
TEST(Study, ARowThatDoesNotFitLeavesNothing) {
  const TemporaryFolder folder;
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  GrowingFile file(folder.file("lines"));
  file.append("first\n");
  const rlimit small{.rlim_cur = 10, .rlim_max = before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  file.append("second\n");
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  file.append("third\n");  // What failed once is not gone on with: rows would be missing.
  EXPECT_EQ(text_of(folder.file("lines")), "first\n");
  EXPECT_NE(input_error_of([&] { file.check(); }).find("File too large"), std::string::npos);
}

TEST(Study, ALineThatIsNoneIsNamedOnce) {
  const TemporaryFolder folder;
  const Outcome outcome = run_cli(study_with({"--resume", folder.file("o", "{}x\n")}));
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("/o: line 1, column "), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace stepcast
