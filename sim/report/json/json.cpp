#include "sim/report/json/json.hpp"

#include <nlohmann/json.hpp>

#include "sim/report/fields/forecast_fields.hpp"
#include "sim/report/json/study_json.hpp"

namespace stepcast {

std::string to_json(const Forecast& forecast) {
  return printed(forecast_json({forecast}));
}

std::string compare_json(const std::vector<Forecast>& forecasts) {
  nlohmann::ordered_json results = nlohmann::ordered_json::array();
  for (const Forecast& forecast : forecasts)
    results.push_back(forecast_json({forecast, speedup_of(forecast, forecasts.front())}));
  return printed({{"results", std::move(results)}});
}

}  // namespace stepcast
