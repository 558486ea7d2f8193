#pragma once
// Measured steps of transformers on layouts, forecast one by one.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "models/schedule/option_info.hpp"
#include "sim/forecast/likely_range.hpp"
#include "sim/study/validate/cases/model_form.hpp"
#include "traces/formats/measured_layouts.hpp"

namespace stepcast {

/// A row that could be forecast.
struct PredictedCase {
  MeasuredLayout row;
  Seconds predicted{};
  std::string schedule{}, cluster{}, device{}, network{};  ///< As StepCast forecast it.
  ModelForm form{};
  LikelyStep likely{};  ///< Of the forecast; see shipped_range().

  /// Above 0: forecast too long.
  double error() const { return predicted / row.measured - 1; }
};

/// Errors of a set: of absolute ones median, mean, the tenth worst in a hundred, the worst; and the
/// mean with its sign.
struct CaseErrors {
  std::string set;
  std::size_t cases = 0;
  double median = 0, mean = 0, p90 = 0, worst = 0, bias = 0;
};

/// Rows of which the same is to be said.
struct CaseRows {
  std::size_t rows = 0;
  std::string first{};  ///< "t.csv: line 3 (gpt-22b)", without the model of a row not read.
};

struct CaseResults {
  std::vector<PredictedCase> cases;
  std::vector<CaseErrors> sets;              ///< In the order of the rows.
  std::map<std::string, CaseRows> left_out;  ///< By reason.
  std::map<std::string, CaseRows> guesses;   ///< By guess, of the rows that were forecast.
};

/// Where rows of unknown sets run, and what to change for all.
struct CaseOptions {
  std::string cluster;              ///< Empty: the set's own.
  std::vector<std::string> blocks;  ///< Files of measured parts, for rows of their shape.
  ScheduleOptions options;          ///< Win over everything else.
};

/// Forecasts every row that a layout can express; the others, and those of which a value is not
/// known, are left out with the reason. `done` is called after each row. Throws InputError for an
/// unknown cluster, an option that no pipeline of theirs has, a bad value of one, or measured parts
/// that are of no row.
CaseResults predict_cases(const LayoutTable& table, const CaseOptions& options,
                          const std::function<void()>& done);

}  // namespace stepcast
