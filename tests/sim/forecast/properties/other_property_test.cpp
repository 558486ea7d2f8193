// The same of schedules whose workers decide at run time and of those that cut the model.
#include "models/schedule/list/registry.hpp"
#include "sim/forecast/scenario.hpp"
#include "tests/sim/forecast/properties/random_job.hpp"
#include "tests/support/owned_job.hpp"
#include "traces/transformers.hpp"

namespace stepcast {
namespace {

void expect_whole(const Forecast& forecast) {
  EXPECT_TRUE(std::isfinite(forecast.iteration_time.value));
  EXPECT_GT(forecast.iteration_time, Seconds{});
  EXPECT_NEAR(total_of(forecast.breakdown) / forecast.iteration_time, 1, 1e-6);
}

Forecast run_time_forecast(const RandomJob& job, std::uint32_t workers) {
  Scenario scenario{.original_workload = job.workload,
                    .original_cluster = job.cluster,
                    .schedules = {job.schedule}};
  scenario.engine.fidelity = Fidelity::Analytic;
  // No factor is below 1, so that no step takes less than its compute.
  add_chance(scenario, {"exponential:mean=0.2"}, 4, {.seeds = 3, .workers = workers});
  Settings settings;
  settings.schedule = job.options;
  settings.stragglers = job.stragglers;
  return simulated(changed(std::move(scenario), std::move(settings)), job.schedule).forecast;
}

TEST(ForecastProperties, OfSchedulesThatDecideAtRunTimeHoldForAnyNumberOfWorkers) {
  for_each_case(
      [](const RandomJob& job) {
        const auto rule = job.options.find("rule");
        if (rule != job.options.end() && rule->second == "none")
          throw InputError("workers without a rule may wait for each other for ever");
        const Forecast forecast = run_time_forecast(job, 1);
        expect_whole(forecast);
        EXPECT_GE(forecast.iteration_time / forward_time(job.workload), 1);
        EXPECT_TRUE(same(forecast, run_time_forecast(job, 2)));
      },
      asynchronous_schedules());
}

/// One of the schedules that cut the model, on up to 16 GPUs.
OwnedJob random_layout(std::uint32_t seed) {
  Draw draw(seed);
  const auto power = [&](std::uint32_t most) { return 1U << draw.below(most + 1); };
  const std::string shape = "transformer:layers=" + std::to_string(4 * power(2)) +
                            ",hidden=" + std::to_string(256 * power(2)) +
                            ",heads=8,seq=" + std::to_string(128 * power(3)) +
                            ",vocab=1000,device=a100,batch=1";
  OwnedJob scenario{
      .workload = load_transformer(parse_transformer(shape)),
      .cluster = random_cluster(draw),
      .schedule = partitioned_schedules()[seed % (partitioned_schedules().size() - 1)].name};
  scenario.cluster.nodes = power(2);
  scenario.cluster.gpus_per_node = power(2);
  scenario.options = {{"tp", std::to_string(power(1))},
                      {"pp", std::to_string(power(2))},
                      {"zero", std::to_string(draw.below(2))},
                      {"recompute", draw.below(2) > 0 ? "full" : "none"}};
  scenario.engine.fidelity = Fidelity::Analytic;
  return scenario;
}

TEST(ForecastProperties, OfModelsThatAreCutAreTheSameFoldedAndUnfolded) {
  shipped();  // says where the data are
  const std::uint32_t first = from_environment("STEPCAST_PROPERTY_SEED", 1);
  const std::uint32_t cases = from_environment("STEPCAST_PROPERTY_CASES", 100);
  std::uint32_t refused = 0;
  for (std::uint32_t seed = first; seed < first + cases; ++seed) {
    OwnedJob scenario = random_layout(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + ", " + scenario.info().name);
    try {
      const Forecast folded = simulated(scenario).forecast;
      scenario.engine.fold = false;
      const Forecast whole = simulated(scenario).forecast;
      expect_whole(folded);
      EXPECT_NEAR(folded.iteration_time / whole.iteration_time, 1, 1e-9);
      for (const StageForecast& stage : folded.stages)
        EXPECT_LE(stage.time, folded.iteration_time * (1 + 1e-9));
    } catch (const InputError&) {
      ++refused;  // the ways do not divide the GPUs or the layers
    }
  }
  std::printf("%u cases, %u more refused\n", cases - refused, refused);
  EXPECT_LT(refused, cases * 2 / 3 + 1) << "too few cases are left";
}

}  // namespace
}  // namespace stepcast
