// A schedule that cuts the model on the first line, a transformer on the second, a `--set` argument
// on each other: stages, plan, engine, forecast.
#include <string>
#include <vector>

#include "models/schedule/model_parallel/schedules.hpp"
#include "tests/fuzz/support/forecast_checks.hpp"
#include "tests/fuzz/support/small_job.hpp"
#include "tests/fuzz/targets.hpp"
#include "tests/support/owned_job.hpp"
#include "traces/transformers.hpp"

namespace stepcast::fuzz {
namespace {

constexpr std::uint32_t kMostLayers = 16;
constexpr std::uint32_t kMostMicroBatches = 64;

/// Passes of a step are few enough to be tried often.
void require_few(const Settings& settings) {
  if (settings.global_batch.value_or(1) > kMostMicroBatches)
    throw InputError("too many passes to be tried often");
}

}  // namespace

bool accepts_layout(std::string_view text) {
  return answers([&] {
    std::vector<std::string> lines = lines_of(text);
    if (lines.size() < 2)
      throw InputError("no schedule and transformer");
    const ScheduleInfo* pipeline = find_schedule(lines[0]);
    if (pipeline == nullptr || !pipeline->partitions_model())
      throw InputError("no schedule that cuts the model");
    small_cluster();  // says where the data are
    const TransformerRequest request = parse_transformer(lines[1]);
    if (request.shape.layers > kMostLayers)
      throw InputError("too large to be tried often");
    Workload model = load_transformer(request);
    lines.erase(lines.begin(), lines.begin() + 2);
    const Settings settings = parse_settings(lines);
    require_small(settings);
    require_few(settings);
    OwnedJob scenario{.workload = std::move(model),
                      .cluster = with_settings(small_cluster(), settings),
                      .schedule = pipeline->name,
                      .options = settings.schedule};
    if (settings.global_batch)
      scenario.options["global_batch"] = std::to_string(*settings.global_batch);
    scenario.engine.stragglers = settings.stragglers;
    scenario.engine.fidelity = Fidelity::Analytic;
    const ScheduleRun result = simulated(scenario);
    require_sound(result.forecast);
    for (const StageForecast& stage : result.forecast.stages)
      require(
          finite_and_not_negative(stage.time.value) && finite_and_not_negative(stage.memory.value),
          "a stage takes time and memory");
  });
}

}  // namespace stepcast::fuzz
