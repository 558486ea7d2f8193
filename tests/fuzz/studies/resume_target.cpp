// A forecast as a study writes it down (--resume), with changes: a JSON array of [place, value] to
// put there, or [place] to drop. The forecast is made on the spot, as another version's is refused.
#include <nlohmann/json.hpp>

#include "models/schedule/list/registry.hpp"
#include "sim/forecast/forecast_text.hpp"
#include "sim/report/json/json.hpp"
#include "sim/report/text/render.hpp"
#include "tests/fuzz/checks.hpp"
#include "tests/fuzz/support/small_job.hpp"
#include "tests/fuzz/targets.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast::fuzz {
namespace {

using nlohmann::json;

const json& written_forecast() {
  static const json flat = [] {
    const Plan plan = build_plan("dear", small_workload(), small_cluster(), {});
    return flat_json(make_forecast(small_workload(), small_cluster(), plan, {}, Fidelity::Analytic,
                                   simulate(plan, small_cluster(), {})));
  }();
  return flat;
}

void change(json& flat, const json& edit) {
  if (flat.empty() || !edit.is_array() || edit.empty() || !edit[0].is_number_unsigned())
    throw InputError("no change");
  const std::size_t place = edit[0].get<std::size_t>() % flat.size();
  if (edit.size() > 1)
    flat[place] = edit[1];
  else
    flat.erase(place);
}

}  // namespace

bool accepts_resume(std::string_view text) {
  return accepts([&] {
    json flat = written_forecast();
    const json edits = parse_json(text, "input");
    for (const json& edit : edits)
      change(flat, edit);
    const Forecast forecast = forecast_from_flat(flat, "input");
    const json again = flat_json(forecast);
    require(flat_json(forecast_from_flat(again, "written")) == again,
            "what is written is read back");
    to_json(forecast);
    render_compare({forecast, forecast});
  });
}

}  // namespace stepcast::fuzz
