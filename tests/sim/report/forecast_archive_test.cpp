#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "models/base/archive.hpp"
#include "sim/forecast/forecast_text.hpp"
#include "sim/report/json/json.hpp"
#include "tests/support/input_error.hpp"
#include "tests/support/leaves.hpp"

namespace stepcast {
namespace {

/// Every leaf holds a value of its own: numbers and texts from 1001 on, flags that are no default.
class Filler {
 public:
  template <class Leaf>
  void operator()(Leaf& leaf) {
    if constexpr (std::same_as<Leaf, bool>)
      leaf = !leaf;
    else if constexpr (Text<Leaf>)
      leaf = std::to_string(++last_);
    else if constexpr (!std::is_enum_v<Leaf>)
      leaf = static_cast<Leaf>(++last_);
  }

  int last() const { return last_; }

 private:
  int last_ = 1000;
};

struct Filled {
  Forecast forecast;
  int last = 0;  ///< Of the numbers from 1001 on.
};

Filled filled() {
  Forecast forecast{.options = {{"fusion", ""}},
                    .communication = {{}, {}},
                    .links = {{}},
                    .critical_path = {{}},
                    .why = {""},
                    .notes = {{}, {}}};
  forecast.breakdown.other_compute = {{}};
  forecast.breakdown.exposed_communication = {{}};
  forecast.workload_provenance.notes = {""};
  forecast.cluster_provenance.notes = {""};
  Filler fill;
  for_each_field(forecast, [&](auto& field) {
    if constexpr (std::same_as<std::remove_reference_t<decltype(field)>, ScheduleOptions>)
      fill(field["fusion"]);
    else
      for_each_own_leaf(field, fill);
  });
  return {std::move(forecast), fill.last()};
}

TEST(ForecastText, EveryBitSurvivesAsJson) {
  Forecast forecast = filled().forecast;
  forecast.iteration_time = Seconds{0.1 + 0.2};
  const nlohmann::json read = nlohmann::json::parse(flat_json(forecast).dump());
  EXPECT_TRUE(same(forecast_from_flat(read, "x"), forecast));
}

TEST(ForecastText, WhatIsCutOrTooLongIsRefused) {
  const nlohmann::json flat = flat_json(filled().forecast);
  for (std::size_t length = 0; length < flat.size(); ++length) {
    nlohmann::json cut = nlohmann::json::array();
    for (std::size_t i = 0; i < length; ++i)
      cut.push_back(flat[i]);
    EXPECT_EQ(input_error_of([&] { forecast_from_flat(cut, "x"); }).find("x: /forecast/"), 0U);
  }
  nlohmann::json longer = flat;
  longer.push_back(1);
  EXPECT_NE(input_error_of([&] { forecast_from_flat(longer, "x"); }).find("expected the end"),
            std::string::npos);
}

/// The refusal of a forecast of somebody else that `change` has changed.
template <class Change>
std::string refusal_of(Change change) {
  Forecast forecast = filled().forecast;
  change(forecast);
  const nlohmann::json read = nlohmann::json::parse(flat_json(forecast).dump());
  return input_error_of([&] { forecast_from_flat(read, "part"); });
}

// A part with a step of -5000 ms was merged without a word.
TEST(ForecastText, NumbersOfOthersPassTheRangesOfInputs) {
  EXPECT_EQ(refusal_of([](Forecast& each) { each.iteration_time = Seconds{-5}; }),
            "part: /forecast/17: expected a time from 0 to 1e12 s, found -5.0");
  EXPECT_NE(refusal_of([](Forecast& each) {
              each.iteration_time = Seconds{};
            }).find("expected a step that takes from"),
            std::string::npos);
  const auto is_refused = [](auto change) { return refusal_of(change) != "no error"; };
  EXPECT_TRUE(is_refused([](Forecast& each) { each.worst_iteration_time = Seconds{1e10}; }));
  EXPECT_TRUE(is_refused([](Forecast& each) { each.breakdown.forward = Seconds{-1}; }));
  EXPECT_TRUE(is_refused([](Forecast& each) { each.critical_path[0].time = Seconds{1e13}; }));
  EXPECT_TRUE(is_refused([](Forecast& each) { each.memory.parameters = Bytes{-1}; }));
  EXPECT_TRUE(is_refused([](Forecast& each) { each.links[0].bandwidth = BytesPerSecond{-1}; }));
  EXPECT_TRUE(is_refused([](Forecast& each) { each.throughput = -1; }));
  EXPECT_TRUE(is_refused([](Forecast& each) { each.throughput = 1e31; }));
  EXPECT_TRUE(is_refused([](Forecast& each) { each.gpus = 0; }));
  EXPECT_TRUE(is_refused([](Forecast& each) { each.likely_high = Seconds{1}; }));
  EXPECT_FALSE(is_refused([](Forecast& each) { each.breakdown.idle = Seconds{-1e-17}; }));
}

// Four fields took -1, and a report said that a link is used by -100 %.
TEST(ForecastText, RatesAndSharesOfOthersAreNotNegative) {
  EXPECT_EQ(refusal_of([](Forecast& each) { each.links[0].utilisation = -1; }),
            "part: /forecast: expected a utilisation of a link of at least 0, found -1");
  const std::string rate =
      "part: /forecast: expected a number of iterations per second of at least 0, found -1";
  EXPECT_EQ(refusal_of([](Forecast& each) { each.protocol.iterations_per_s = -1; }), rate);
  EXPECT_EQ(refusal_of([](Forecast& each) { each.protocol.slowest_iterations_per_s = -1; }), rate);
  const std::string share =
      "part: /forecast: expected a share of iterations of at least 0, found -0.5";
  EXPECT_EQ(refusal_of([](Forecast& each) { each.protocol.gaps = {1, -0.5}; }), share);
  EXPECT_EQ(refusal_of([](Forecast& each) { each.protocol.staleness = {-0.5}; }), share);
}

// A name of 200,000 bytes was printed in full.
TEST(ForecastText, NamesOfOthersAreNoLongerThanThoseOfWorkloads) {
  const std::string longer(1025, 'w');
  EXPECT_EQ(
      refusal_of([&](Forecast& each) { each.workload = longer; }),
      "part: /forecast: expected a name of a workload of at most 1024 bytes, found 1025 bytes");
  EXPECT_NE(refusal_of([&](Forecast& each) { each.cluster = longer; }), "no error");
  EXPECT_NE(refusal_of([&](Forecast& each) { each.schedule = longer; }), "no error");
  EXPECT_NE(refusal_of([&](Forecast& each) { each.device = longer; }), "no error");
  EXPECT_EQ(refusal_of([](Forecast& each) { each.workload = std::string(1024, 'w'); }), "no error");
}

TEST(ForecastArchive, EveryBitSurvives) {
  const Forecast forecast = filled().forecast;
  EXPECT_TRUE(same(from_bytes<Forecast>(bytes_of(forecast)), forecast));
  EXPECT_FALSE(same(Forecast{}, forecast));
}

TEST(ForecastArchive, EveryNumberAndTextOfAForecastIsInItsJson) {
  const Filled it = filled();
  const std::string json = to_json(it.forecast);
  std::vector<int> missing;
  for (int number = 1001; number <= it.last; ++number)
    if (json.find(std::to_string(number)) == std::string::npos)
      missing.push_back(number);
  // The mean over seeds is the iteration time; how many iterations were simulated is told in a note
  // where there is no steady state. Of notes the sentences are printed. SimGrid's version is a
  // text.
  std::vector<int> told{static_cast<int>(it.forecast.spread.mean.value),
                        static_cast<int>(it.forecast.iterations_simulated)};
  for (const Note& note : it.forecast.notes)
    told.push_back(std::stoi(note.subject));
  told.push_back(static_cast<int>(it.forecast.engine.version));  // 3.32 for 33200
  EXPECT_EQ(missing, told);
}

}  // namespace
}  // namespace stepcast
