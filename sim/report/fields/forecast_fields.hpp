#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/forecast/forecast.hpp"
#include "sim/report/fields/field.hpp"

namespace stepcast {

/// A forecast as a row among others.
struct ForecastRow {
  const Forecast& forecast;
  std::optional<double> speedup{};  ///< Over the first row, where there are several.
};

using ForecastField = Field<ForecastRow>;

/// Every field of a forecast, in the order of JSON.
std::span<const ForecastField> forecast_fields();

/// Who shows a selection of the fields, in an order of its own.
enum class View { Compare, Sweep, Csv, Page, PageTable, Notebook };
std::vector<const ForecastField*> fields_shown(View view);

struct NamedBytes {
  std::string name;
  Bytes size{};
};

/// What a GPU's memory holds, its sum and, where it is known, how much there is; none of 0 bytes.
std::vector<NamedBytes> memory_rows(const Forecast& forecast);

/// "yes" or "no": whether the memory of the GPU suffices; "" where it is not known.
std::string fit_of(const Forecast& forecast);

/// The fields of the links of a forecast, of the stages of its pipeline and of its critical path.
std::span<const Field<LinkLoad>> link_fields();
std::span<const Field<StageForecast>> stage_fields();
std::span<const Field<PathEntry>> path_fields();

nlohmann::ordered_json forecast_json(const ForecastRow& row);

/// configs/schema/NAME.schema.json; `run` with the properties of what forecast_json() writes.
std::string schema_text(const std::string& name);

/// All labels, headings and keys of these fields, each once, with those of inner objects.
std::vector<std::string> names_of_fields();

}  // namespace stepcast
