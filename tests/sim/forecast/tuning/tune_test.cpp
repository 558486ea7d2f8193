#include "sim/forecast/tuning/tune.hpp"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <set>

#include <gtest/gtest.h>

#include "sim/forecast/planned_run.hpp"
#include "sim/workers/stop.hpp"
#include "tests/support/examples.hpp"
#include "tests/support/input_error.hpp"

namespace stepcast {
namespace {

/// A search on a function instead of a simulation: value in MiB to seconds.
std::vector<Trial> trials_of(const std::string& strategy, std::uint32_t most,
                             const std::function<double(double)>& seconds_at) {
  const auto mebibytes = [](const std::string& text) {
    return parse_value(OptionKind::Size, text) / 1048576;
  };
  SearchTask task{.range = {.low = 1048576, .high = 101 * 1048576.0}, .most_trials = most};
  task.first = 26 * 1048576.0;
  task.measure = [&](const std::string& text) {
    return Measurement{.time = {seconds_at(mebibytes(text))}};
  };
  task.plan_of = [&](const std::string& text) {
    return static_cast<std::uint64_t>(1e6 * seconds_at(mebibytes(text)));
  };
  Search search(task);
  strategy_of(strategy).search(search);
  return search.trials();
}

double parabola(double mebibytes) {
  return 1 + (mebibytes - 61) * (mebibytes - 61) / 1e4;
}

double best_of(const std::vector<Trial>& trials) {
  return std::ranges::min(trials, {}, &Trial::per_sample).found.time.value;
}

std::vector<std::string> texts_of(const std::vector<Trial>& trials) {
  std::vector<std::string> texts;
  for (const Trial& trial : trials)
    texts.push_back(trial.text);
  return texts;
}

TEST(Strategies, GridSpacesItsValuesEvenly) {
  EXPECT_EQ(texts_of(trials_of("grid", 5, parabola)),
            (std::vector<std::string>{"1MiB", "26MiB", "51MiB", "76MiB", "101MiB"}));
}

TEST(Strategies, BinaryGoesIntoTheFasterHalf) {
  // Middle 51, then the middles of the halves: 26 and 76. (76-61)^2 < (26-61)^2: the upper half,
  // 51 to 101, whose halves have the middles 63.5 and 88.5; then 51 to 76: 57.25 and 69.75.
  EXPECT_EQ(texts_of(trials_of("binary", 7, parabola)),
            (std::vector<std::string>{"51MiB", "26MiB", "76MiB", "63.5MiB", "88.5MiB", "57.25MiB",
                                      "69.75MiB"}));
}

TEST(Strategies, BinaryStopsAtAHundredthOfTheRange) {
  // 7 halvings of two trials each leave 1/128 of the range.
  EXPECT_EQ(trials_of("binary", 1000, parabola).size(), 15U);
}

TEST(Strategies, BayesianOptimisationBeginsAtItsFirstPointAndFindsTheValley) {
  const auto trials = trials_of("bo", 10, parabola);
  EXPECT_EQ(trials.size(), 10U);
  EXPECT_EQ(trials.front().text, "26MiB");
  EXPECT_LT(best_of(trials), parabola(61) + 0.002);  // the range of times is 0.36
}

TEST(Strategies, BayesianOptimisationSpreadsOutWhileNothingDiffers) {
  // From 26 the far end is the farthest, then the middle of the two, then the near end, 25 away
  // from 26 where the gaps above leave 18.75. A step in the upper quarter is found at once.
  const auto trials = trials_of("bo", 10, [](double mebibytes) { return mebibytes > 76 ? 2 : 3; });
  EXPECT_EQ(trials[1].text, "101MiB");
  EXPECT_EQ(best_of(trials), 2);
  const auto flat = trials_of("bo", 4, [](double) { return 3; });
  EXPECT_EQ(texts_of(flat), (std::vector<std::string>{"26MiB", "101MiB", "63.5MiB", "1MiB"}));
}

TEST(Strategies, NeverMeasureAValueTwice) {
  for (const StrategyInfo& strategy : all_strategies()) {
    const auto texts = texts_of(trials_of(strategy.name, 30, parabola));
    EXPECT_EQ(std::set<std::string>(texts.begin(), texts.end()).size(), texts.size())
        << strategy.name;
    EXPECT_LE(texts.size(), 30U) << strategy.name;
  }
}

TEST(Strategies, ExhaustiveFindsEveryStepOnce) {
  // Steps at every multiple of 3 MiB: from 1 to 101 MiB those of 0, 3, ..., 99, so 34.
  const auto steps = [](double mebibytes) { return std::floor(mebibytes / 3); };
  EXPECT_EQ(trials_of("exhaustive", 1000, steps).size(), 34U);
}

TEST(Strategies, AnUnknownOneIsNamedWithTheNearest) {
  EXPECT_EQ(
      input_error_of([] { strategy_of("ob"); }),
      "unknown strategy \"ob\": expected one of bo, binary, grid, random, exhaustive; did you "
      "mean \"bo\"?");
}

TEST(TunedOption, WhatIsWrittenIsParsedToTheSameValue) {
  EXPECT_EQ(write_value(OptionKind::Size, 25 * 1048576.0), "25MiB");
  EXPECT_EQ(write_value(OptionKind::Size, 1536), "1.5KiB");
  EXPECT_EQ(write_value(OptionKind::Size, 12), "12B");
  EXPECT_EQ(write_value(OptionKind::Time, 1.5e-3), "1.5ms");
  EXPECT_EQ(write_value(OptionKind::Time, 2e-6), "2us");
  EXPECT_EQ(write_value(OptionKind::Count, 3.6), "4");
  for (const auto& [kind, text] : {std::pair{OptionKind::Size, "25MiB"},
                                   {OptionKind::Time, "2us"},
                                   {OptionKind::Count, "4"},
                                   {OptionKind::Number, "0.25"}})
    EXPECT_EQ(write_value(kind, parse_value(kind, text)), text);
}

/// Eight layers of 1 MiB on four GPUs with start-ups, so that the buffer matters.
struct Job {
  Workload workload = examples::uniform_workload(8, {0.002}, {0.004}, 262144);
  Cluster cluster = examples::plain_cluster(4);
  ScheduledJob job{workload, cluster, "dear", {}, {.fidelity = Fidelity::Analytic}};

  Job() {
    cluster.nic.bandwidth = BytesPerSecond{1e9};
    cluster.nic.startup = Seconds{0.5e-3};
  }
};

std::string error_of(TuningRequest request, ScheduleOptions options = {}) {
  Job example;
  example.job.options = std::move(options);
  return input_error_of([&] { tune(example.job, request); });
}

TEST(Tune, ExhaustiveSearchIsAsGoodAsTryingEveryHundredthOfAMebibyte) {
  const Job example;
  const Tuning tuning =
      tune(example.job,
           {.option = "fusion_buffer", .strategy = "exhaustive", .low = "1MiB", .high = "9MiB"});
  // Buffers of 1, 2, ... 8 layers: groups of 1; 2; 3,3,2; 4; 5,3; 6,2; 7,1; 8.
  EXPECT_EQ(tuning.trials.size(), 8U);
  Seconds best = tuning.best_trial().found.time;
  for (int hundredths = 100; hundredths <= 900; ++hundredths) {
    const std::string text = write_value(OptionKind::Size, hundredths * 10485.76);
    const Plan plan =
        build_plan("dear", example.workload, example.cluster, {{"fusion_buffer", text}});
    const Seconds time = simulate(plan, example.cluster, example.job.engine).iteration_time;
    EXPECT_GE(time.value, best.value * (1 - 1e-12)) << text;
  }
}

/// The trials of an exhaustive search, at most six.
Tuning exhaustive(const std::string& schedule, const std::string& option) {
  Job example;
  example.job.schedule = schedule;
  return tune(
      example.job,
      {.option = option, .strategy = "exhaustive", .trials = 6, .low = "0.1ms", .high = "20ms"});
}

TEST(Tune, ExhaustiveSearchTriesWhatChangesOnlyANegotiation) {
  const Tuning tuning = exhaustive("bytescheduler", "negotiation");
  EXPECT_EQ(tuning.trials.size(), 6U);
  EXPECT_EQ(tuning.best_trial().text, "100us");
  EXPECT_LT(tuning.best_trial().found.time * 2, tuning.trials[1].found.time);
}

TEST(Tune, ExhaustiveSearchTriesWhatChangesOnlyThePartitionsOfAServer) {
  const Tuning tuning = exhaustive("ps", "per_partition");
  EXPECT_EQ(tuning.trials.size(), 6U);
  EXPECT_EQ(tuning.best_trial().text, "100us");
  EXPECT_LT(tuning.best_trial().found.time, tuning.trials[1].found.time);
}

TEST(Tune, TakesTheValueOfTheMostSamplesPerSecond) {
  // Every pass adds its compute time and no communication: steps get longer, samples cheaper.
  const Job example;
  const Tuning tuning =
      tune(example.job, {.option = "accumulation", .strategy = "grid", .low = "1", .high = "4"});
  ASSERT_EQ(tuning.trials.size(), 4U);
  for (std::size_t i = 1; i < 4; ++i) {
    EXPECT_GT(tuning.trials[i].found.time, tuning.trials[0].found.time);
    EXPECT_DOUBLE_EQ(tuning.trials[i].found.samples,
                     static_cast<double>(i + 1) * tuning.trials[0].found.samples);
  }
  EXPECT_EQ(tuning.best_trial().text, "4");
}

TEST(Tune, GoesOnAfterAnotherStudyWasStopped) {
  {
    const StopsBetweenJobs stops;
    ask_to_stop(SIGINT);
  }
  const Job example;
  const Tuning tuning =
      tune(example.job, {.option = "accumulation", .strategy = "grid", .low = "1", .high = "4"});
  EXPECT_EQ(tuning.trials.size(), 4U);
}

TEST(Tune, GoesOnBesideAValueThatIsRefused) {
  // accumulation ends at 1,024.
  const Job example;
  for (const StrategyInfo& strategy : all_strategies()) {
    const Tuning tuning = tune(example.job, {.option = "accumulation",
                                             .strategy = strategy.name,
                                             .trials = 6,
                                             .low = "1000",
                                             .high = "1060",
                                             .first = "1010"});
    EXPECT_EQ(tuning.trials.size(), 6U) << strategy.name;
    EXPECT_TRUE(tuning.best_trial().is_feasible()) << strategy.name;
    EXPECT_LE(tuning.best_trial().value, 1024) << strategy.name;
    EXPECT_FALSE(std::ranges::all_of(tuning.trials, &Trial::is_feasible)) << strategy.name;
  }
}

TEST(Tune, SaysWhatTheScheduleSaysWhereNoValueIsFeasible) {
  for (const char* strategy : {"bo", "binary", "grid", "random", "exhaustive"})
    EXPECT_NE(error_of({.option = "accumulation",
                        .strategy = strategy,
                        .trials = 6,
                        .low = "1025",
                        .high = "1060"})
                  .find("accumulation: expected a whole number from 1 to 1024"),
              std::string::npos)
        << strategy;
}

TEST(Tune, TheSameSeedGivesTheSameTrialsAndAnotherOthers) {
  const Job example;
  const TuningRequest request{.option = "fusion_buffer", .strategy = "random", .seed = 7};
  TuningRequest other = request;
  other.seed = 8;
  const auto texts = texts_of(tune(example.job, request).trials);
  EXPECT_EQ(texts, texts_of(tune(example.job, request).trials));
  EXPECT_NE(texts, texts_of(tune(example.job, other).trials));
}

TEST(Tune, TakesCountsAndTimesInTheirUnits) {
  Job example;
  example.job.options = {{"fusion", "nearby"}};
  const Tuning layers = tune(example.job, {.option = "nearby_layers", .low = "1", .high = "8"});
  EXPECT_EQ(layers.trials.size(), 8U);  // ten trials, but no more values
  EXPECT_EQ(layers.trials.front().text, "4");
  example.job.options = {};
  example.job.schedule = "horovod";
  const Tuning cycle = tune(example.job, {.option = "cycle", .low = "0.1ms", .high = "20ms"});
  EXPECT_EQ(cycle.range.kind, OptionKind::Time);
}

TEST(Tune, RefusesWhatCannotBeSearched) {
  EXPECT_EQ(error_of({.option = "fusion_bufer"}),
            "`option`: dear has no option \"fusion_bufer\": expected one of fusion, fusion_buffer, "
            "nearby_layers, rs_start, algorithm, accumulation, optimiser; did you mean "
            "\"fusion_buffer\"?");
  EXPECT_EQ(error_of({.option = "fusion_buffer", .low = "5MiB", .high = "1MiB"}),
            "`low` 5MiB `high` 1MiB: the range is reversed");
  EXPECT_EQ(error_of({.option = "fusion_buffer", .low = "5MiB", .high = "5MiB"}),
            "`low` 5MiB `high` 5MiB: the range is empty");
  EXPECT_EQ(error_of({.option = "fusion_buffer", .low = "5ms"}),
            "`low`: expected a size such as \"25MiB\", found \"5ms\"");
  EXPECT_EQ(error_of({.option = "fusion_buffer", .first = "1GiB"}),
            "`first` 1GiB: is outside the range 1MiB to 256MiB");
  EXPECT_EQ(error_of({.option = "nearby_layers"}),
            "`option` nearby_layers: give the range to search with `low` and `high`");
  EXPECT_EQ(
      error_of({.option = "algorithm"}),
      "`option` algorithm: is one of ring, hierarchical-ring, halving-doubling, not a number to "
      "be tuned");
  EXPECT_EQ(error_of({.option = "fusion_buffer", .low = "0B", .logarithmic = true}),
            "`low` 0B: a logarithmic scale needs a range above zero");
  EXPECT_EQ(error_of({.option = "fusion_buffer"}, {{"fusion_buffer", "5MiB"}}),
            "`set` fusion_buffer=5MiB: is the option that is tuned");
  EXPECT_EQ(error_of({.option = "fusion_buffer"}, {{"fusion", "bo"}}),
            "`set` fusion=bo: already tunes fusion_buffer; to tune fusion_buffer, give "
            "fusion=buffer");
}

TEST(ResolveFusion, TakesTheBestOfTenTrials) {
  Job example;
  const Tuning tuning = tune(example.job, {.option = "fusion_buffer"});
  example.job.options = {{"fusion", "bo"}};
  const ResolvedOptions resolved = resolve_fusion(example.job);
  EXPECT_EQ(resolved.options,
            (ScheduleOptions{{"fusion", "buffer"}, {"fusion_buffer", tuning.best_trial().text}}));
  EXPECT_NE(resolved.note->text.find("10 trials"), std::string::npos) << resolved.note->text;
}

TEST(ResolveFusion, SearchesTheBufferOfCompressedGradientsByHalves) {
  Job example;
  example.job.schedule = "topka2a";
  example.job.options = {{"selection", "free"}, {"density", "0.1"}};
  const Tuning tuning = tune(example.job, {.option = "fusion_buffer", .strategy = "binary"});
  example.job.options["fusion"] = "binary";
  const ResolvedOptions resolved = resolve_fusion(example.job);
  EXPECT_EQ(resolved.options.at("fusion"), "buffer");
  EXPECT_EQ(resolved.options.at("fusion_buffer"), tuning.best_trial().text);
  EXPECT_EQ(tuning.range.high, 8.0 * 1048576);  // the model
}

TEST(ResolveFusion, LeavesOtherOptionsAlone) {
  Job example;
  example.job.options = {{"fusion", "none"}};
  EXPECT_EQ(resolve_fusion(example.job).options, example.job.options);
  example.job.schedule = "wfbp";
  example.job.options = {{"fusion", "bo"}};
  EXPECT_EQ(resolve_fusion(example.job).options, example.job.options);
}

}  // namespace
}  // namespace stepcast
