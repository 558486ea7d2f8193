#include "sim/study/forecast_archive.hpp"

#include <gtest/gtest.h>

#include "sim/report/json/json.hpp"
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
                    .notes = {"", ""}};
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

TEST(ForecastArchive, EveryBitSurvives) {
  const Forecast forecast = filled().forecast;
  EXPECT_TRUE(same(forecast_from_bytes(to_bytes(forecast)), forecast));
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
  // where there is no steady state.
  EXPECT_EQ(missing, (std::vector{static_cast<int>(it.forecast.spread.mean.value),
                                  static_cast<int>(it.forecast.iterations_simulated)}));
}

}  // namespace
}  // namespace stepcast
