// What of recorded pipelines is refused as a workload, and what is told of one that forecasts miss.
#include "sim/jobs/diagnose/pipelines/recorded_passes.hpp"

#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sim/jobs/diagnose/job_at_ranks.hpp"
#include "sim/jobs/diagnose/job_workload.hpp"
#include "tests/support/input_error.hpp"
#include "tests/support/made_pipeline.hpp"
#include "tests/support/made_pipeline_profiles.hpp"
#include "tests/support/profiled_job_of.hpp"
#include "tests/support/table_job.hpp"
#include "traces/ideal_cluster.hpp"

namespace stepcast {
namespace {

/// Sizes that take no time on the network without one.
Job job_of(const std::string& text) {
  return table_job(text, {.sizes = {.gradients = {4}, .parameters = {4}, .message = 4, .tied = 4}});
}

std::string error_of(const Job& job) {
  return input_error_of([&] { workload_of(job, false); });
}

JobAtRanks forecast_of(const MadePipeline& made, std::uint32_t ranks) {
  return job_at_ranks(job_of(made.text()),
                      {.cluster = ideal_cluster(1, ranks), .fidelity = Fidelity::Analytic});
}

template <typename Drops>
std::string without(const std::string& text, Drops drops) {
  std::string kept;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin) + 1;
    const std::string row = text.substr(begin, end - begin);
    kept += drops(row) ? "" : row;
    begin = end;
  }
  return kept;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at))
    text.replace(at, from.size(), to);
  return text;
}

bool is_noted(const Workload& workload, const std::string& said) {
  return std::ranges::any_of(workload.provenance.notes, [&](const std::string& note) {
    return note.find(said) != std::string::npos;
  });
}

/// Two micro-batches through two chunks on each of two stages: all passes forward, then back.
std::string chunks_forward_first() {
  std::string text = OperationRows().text();
  std::map<std::pair<int, std::string>, int> counts;
  double now = 0;
  const auto add = [&](int part, const std::string& type, double time, int micro_batch) {
    const int stage = part % 2;
    const bool passes = micro_batch >= 0;
    text += fmt::format("0,{},{},0,{},{},{},{},{},{},{}\n", stage, stage, type, now, time,
                        counts[{stage, type}]++, passes ? part / 2 : -1, micro_batch,
                        passes ? part : -1);
  };
  const auto pass = [&](int part, int to, const std::string& way, int micro_batch) {
    add(part, way + "-compute", 1, micro_batch);
    now += 1;
    if (to < 0 || to > 3)
      return;
    add(part, way + "-send", 0.1, -1);
    add(to, way + "-recv", 0.1, -1);
    now += 0.1;
  };
  for (int micro_batch = 0; micro_batch < 2; ++micro_batch)
    for (int part = 0; part < 4; ++part)
      pass(part, part + 1, "forward", micro_batch);
  for (int micro_batch = 0; micro_batch < 2; ++micro_batch)
    for (int part = 3; part >= 0; --part)
      pass(part, part - 1, "backward", micro_batch);
  return text;
}

TEST(RecordedPassesTest, StagesWithoutMessagesAreRefused) {
  for (const char* type : {"ward-recv", "ward-"})
    EXPECT_EQ(
        error_of(job_of(without(MadePipeline{}.text(),
                                [&](const std::string& row) {
                                  return row.find(type) != std::string::npos &&
                                         row.find("-compute") == std::string::npos;
                                }))),
        "made.csv: expected messages (sends and receives) between stages 0 and 1, found "
        "none whose two ends belong together: waiting for another stage would count as a delay "
        "of the host");
}

TEST(RecordedPassesTest, CopiesWithFewerMicroBatchesAreRefused) {
  const std::string text = without(MadePipeline{}.text(), [](const std::string& row) {
    return row.starts_with("1,") && row.find(",3,0,3,") != std::string::npos;
  });
  EXPECT_EQ(error_of(job_of(text)),
            "made.csv: expected 4 micro-batches in a step of every rank, as the others have, found "
            "3 of rank 1: forecasts give all copies as many");
}

TEST(RecordedPassesTest, ProfilesWithTensorParallelismAreRefused) {
  for (const std::uint32_t stages : {1U, 2U})
    EXPECT_EQ(error_of(profiled_job_of(
                  MadePipelineProfiles{}.texts(),
                  {.data = 2 / stages, .pipeline = stages, .tensor = 2, .micro_batches = 4})),
              "rank0.json: expected profiles of a job with tp = 1 and cp = 1, in which "
              "collectives within passes would be taken for sums of gradients; found tp = 2, cp = "
              "1")
        << stages;
}

TEST(RecordedPassesTest, SeveralChunksForwardFirstAreRefused) {
  EXPECT_EQ(error_of(job_of(chunks_forward_first())),
            "made.csv: expected one chunk of a rank (vpp = 1), or an order in which forward and "
            "backward passes alternate, found all forward passes of 2 chunks first");
}

// The first copy's backward pass begins before the second one's last forward pass.
TEST(RecordedPassesTest, TheOrderIsToldOfEachRankForItself) {
  Job job{.stages = 1,
          .ranks = {{.number = 0}, {.number = 1, .data = 1}},
          .kinds = {{.work = JobWork::Forward}, {.work = JobWork::Backward}}};
  JobStep step;
  for (const double time : {1.0, 3.0})
    for (std::uint16_t pass = 0; pass < 4; ++pass)
      step.operations.push_back({.rank = time > 1 ? 1U : 0U,
                                 .kind = static_cast<std::uint16_t>(pass / 2),
                                 .begin = Seconds{pass * time},
                                 .end = Seconds{(pass + 1) * time}});
  job.steps.push_back(step);
  EXPECT_FALSE(passes_alternate(job));
  std::swap(job.steps[0].operations[5].kind, job.steps[0].operations[6].kind);
  EXPECT_TRUE(passes_alternate(job));
}

TEST(RecordedPassesTest, GathersAmongPassesAreTold) {
  const std::string text = MadePipeline{.message = 0.001, .gather = 0.006}.text();
  const std::string said =
      "of the time of gathers of parameters was recorded behind the first pass";
  EXPECT_FALSE(is_noted(workload_of(job_of(text), false), said));
  // Where the last stage's first pass begins at 39 ms the others' have begun.
  EXPECT_TRUE(is_noted(
      workload_of(job_of(replaced(text, "gather,0.000000000,", "gather,0.030000000,")), false),
      "75 % " + said));
}

TEST(RecordedPassesTest, WhatIsScatteredIsShared) {
  const auto shares = [](const std::string& text) {
    return workload_of(job_of(text), false).pipeline->shares_optimiser;
  };
  const std::string scattered = MadePipeline{.sum = 0.006}.text();
  EXPECT_TRUE(shares(scattered));
  EXPECT_TRUE(is_noted(workload_of(job_of(scattered), false), "but no gathers of parameters"));
  EXPECT_FALSE(shares(replaced(scattered, "grads-reduce-scatter", "grads-all-reduce")));
}

TEST(RecordedPassesTest, AllReducesOfWhatIsSharedAreTold) {
  const std::string text = MadePipeline{.gather = 0.003, .sum = 0.006}.text();
  const std::string said = "gradients were recorded in all-reduces although parameters come back";
  EXPECT_FALSE(is_noted(workload_of(job_of(text), false), said));
  EXPECT_TRUE(is_noted(
      workload_of(job_of(replaced(text, "grads-reduce-scatter", "grads-all-reduce")), false),
      said));
  EXPECT_FALSE(is_noted(workload_of(job_of(text), false), "but no gathers of parameters"));
}

// The first stage of one copy waits 100 ms for its host, or that of both.
TEST(RecordedPassesTest, AForecastThatMissesTheJobItselfIsDoubted) {
  MadePipeline made;
  made.before = [](int stage, int copy) { return stage == 0 && copy == 1 ? 0.1 : 0.0; };
  const JobAtRanks one = forecast_of(made, 8);
  EXPECT_NEAR(one.recorded_step.value, 7 * 0.030 + 0.1, 1e-6);
  EXPECT_NEAR(one.step.value, 7 * 0.030 + 0.05, 1e-6);
  EXPECT_EQ(one.doubt.find("at the job's own size, on 8 GPUs of ideal"), 0U) << one.doubt;
  EXPECT_NE(one.doubt.find("is 260 ms, 16.1 % less than recorded"), std::string::npos) << one.doubt;
  made.before = [](int stage, int /*copy*/) { return stage == 0 ? 0.1 : 0.0; };
  made.gather = 0.001;  // with which the step begins
  const JobAtRanks both = forecast_of(made, 8);
  EXPECT_NEAR(both.recorded_step.value, 7 * 0.030 + 0.1 + 0.001, 1e-6);
  EXPECT_NEAR(both.step.value, 7 * 0.030 + 0.1, 1e-6);
  EXPECT_EQ(both.doubt, "");
}

TEST(RecordedPassesTest, DelaysOfTheHostAreNoDifferenceOfMicroBatches) {
  MadePipeline made{.gather = 0.001};  // with which the step begins
  made.before = [](int stage, int /*copy*/) { return stage == 0 ? 0.1 : 0.0; };
  const JobAtRanks result = forecast_of(made, 8);
  for (const std::string& line : result.basis)
    EXPECT_EQ(line.find("micro-batches differ"), std::string::npos) << line;
}

TEST(RecordedPassesTest, UnevenDelaysOfTheHostAreTold) {
  MadePipeline made{.gather = 0.001};  // with which the step begins
  const auto told = [&] {
    return is_noted(workload_of(job_of(made.text()), false),
                    "hosts delay the ranks of a stage unevenly, in a step one by 50 ms more");
  };
  made.before = [](int stage, int copy) { return stage == 0 && copy == 1 ? 0.1 : 0.0; };
  EXPECT_TRUE(told());
  made.before = [](int stage, int /*copy*/) { return stage == 0 ? 0.1 : 0.0; };
  EXPECT_FALSE(told());
}

// The workload holds the mean of a copy that takes twice as long and two others. One copy alone is
// any of them, so that it takes as long on average.
TEST(RecordedPassesTest, FewerCopiesThanRecordedAreAnyOfThem) {
  MadePipeline made{.copies = 3};
  made.forward = [](int, int copy, int) { return copy == 2 ? 0.020 : 0.010; };
  made.backward = [](int, int copy, int) { return copy == 2 ? 0.040 : 0.020; };
  const JobAtRanks result = forecast_of(made, 4);
  EXPECT_NEAR(result.even_step.value, 7 * 0.040, 1e-6);
  EXPECT_NEAR(result.step / result.even_step, 1, 0.03);
}

}  // namespace
}  // namespace stepcast
