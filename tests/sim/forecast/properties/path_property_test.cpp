// The critical path adds up to the step and has neither gap nor overlap, for all schedules, however
// late messages start.
#include "models/schedule/list/registry.hpp"
#include "sim/timeline/critical_path.hpp"
#include "sim/timeline/window.hpp"
#include "tests/sim/forecast/properties/random_job.hpp"
#include "tests/support/owned_job.hpp"
#include "traces/transformers.hpp"

namespace stepcast {
namespace {

constexpr double kRounding = 1e-7;  // each end may be off by the tolerance of the walk

void expect_path_without_gaps(const Plan& plan, const Cluster& cluster, const Timeline& timeline) {
  const auto path = critical_path_of(plan, cluster, timeline, extremes_of(plan, timeline).slowest);
  ASSERT_FALSE(path.empty());
  const Seconds begin = path.front().begin;
  Seconds at = begin;
  for (const PathSegment& part : path) {
    EXPECT_NEAR((part.begin - at) / timeline.iteration_time, 0, kRounding);
    EXPECT_GE(part.end, part.begin);
    at = part.end;
  }
  EXPECT_NEAR((at - begin) / timeline.iteration_time, 1, kRounding);
}

void expect_told_path_is_the_step(const Forecast& forecast) {
  Seconds told{};
  for (const PathEntry& entry : forecast.critical_path)
    told += entry.time;
  EXPECT_NEAR(told / (forecast.iteration_time * forecast.steps), 1, kRounding);
}

/// Start-ups as short as inside a node, or as long as between continents.
void draw_startups(Draw& draw, Cluster& cluster) {
  cluster.nic.startup = Seconds{draw.between(1e-6, 0.1)};
  cluster.intra_node.startup = Seconds{draw.between(1e-6, 0.1)};
}

TEST(ForecastProperties, ThePathOfSchedulesOfWholeModelsIsTheStep) {
  for_each_case([](RandomJob job) {
    Draw draw(job.cluster.ranks());
    draw_startups(draw, job.cluster);
    Plan plan = build_plan(job.schedule, job.workload, job.cluster, job.options);
    const Timeline timeline =
        simulate(plan, job.cluster, {.fidelity = Fidelity::Flow, .stragglers = job.stragglers});
    expect_path_without_gaps(plan, job.cluster, timeline);
    const Forecast forecast =
        make_forecast(job.workload, job.cluster, plan, job.options, Fidelity::Flow, timeline);
    expect_told_path_is_the_step(forecast);
    EXPECT_GE(forecast.worst_iteration_time / forecast.iteration_time, 1 - kRounding);
  });
}

std::string count_in_text(std::uint32_t number) {
  return std::to_string(number);
}

/// A pipeline of two to six stages and up to 64 micro-batches, on up to 36 GPUs. Nodes need not
/// hold whole stages: then groups of one team communicate over different links, at times of their
/// own.
OwnedJob random_pipeline(std::uint32_t seed) {
  Draw draw(seed);
  const auto power = [&](std::uint32_t most) { return 1U << draw.below(most + 1); };
  const std::string shape = "transformer:layers=24,hidden=" + count_in_text(256 * power(2)) +
                            ",heads=8,seq=" + count_in_text(128 * power(3)) +
                            ",vocab=1000,device=a100,batch=1";
  OwnedJob scenario{
      .workload = load_transformer(parse_transformer(shape)),
      .cluster = random_cluster(draw),
      .schedule = partitioned_schedules()[seed % (partitioned_schedules().size() - 1)].name};
  draw_startups(draw, scenario.cluster);
  const std::uint32_t kStages[] = {2, 3, 4, 6};
  const std::uint32_t stages = kStages[draw.below(4)];
  const std::uint32_t tensor = power(1);
  const std::uint32_t copies = 1 + draw.below(3);
  const std::uint32_t ranks = stages * tensor * copies;
  do
    scenario.cluster.gpus_per_node = 1 + draw.below(ranks);
  while (ranks % scenario.cluster.gpus_per_node != 0);
  scenario.cluster.nodes = ranks / scenario.cluster.gpus_per_node;
  const std::uint32_t micro_batch = power(3);
  const char* updated[] = {"all-gather", "broadcasts", "next-forward"};
  scenario.options = {{"tp", count_in_text(tensor)},
                      {"pp", count_in_text(stages)},
                      {"micro_batch", count_in_text(micro_batch)},
                      {"global_batch", count_in_text((1 + draw.below(64)) * micro_batch * copies)},
                      {"zero", count_in_text(draw.below(2))},
                      {"updated", updated[draw.below(3)]},
                      {"overlap_gradients", draw.below(2) > 0 ? "yes" : "no"},
                      {"norm_barrier", draw.below(2) > 0 ? "yes" : "no"}};
  if (draw.below(3) == 0)
    scenario.options["messages"] = std::string("blocking");
  if (draw.below(3) == 0)
    scenario.engine.stragglers[draw.below(scenario.cluster.ranks())] = draw.between(1, 3);
  scenario.engine.fidelity = draw.below(2) > 0 ? Fidelity::Flow : Fidelity::Analytic;
  scenario.engine.fold = draw.below(4) > 0;
  return scenario;
}

TEST(ForecastProperties, ThePathOfPipelinesIsTheStep) {
  shipped();  // says where the data are
  const std::uint32_t first = from_environment("STEPCAST_PROPERTY_SEED", 1);
  const std::uint32_t cases = from_environment("STEPCAST_PROPERTY_CASES", 100);
  std::uint32_t refused = 0;
  for (std::uint32_t seed = first; seed < first + cases; ++seed) {
    const OwnedJob scenario = random_pipeline(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + ", " + scenario.info().name);
    try {
      const ScheduleRun result = simulated(scenario);
      expect_path_without_gaps(result.plan, scenario.cluster, result.timeline);
      expect_told_path_is_the_step(result.forecast);
      EXPECT_LE(result.forecast.scaling_efficiency, 1 + kRounding);
    } catch (const InputError&) {
      ++refused;  // the ways do not divide the GPUs or the micro-batches
    }
  }
  std::printf("%u cases, %u more refused\n", cases - refused, refused);
  EXPECT_LT(refused, cases * 2 / 3 + 1) << "too few cases are left";
}

}  // namespace
}  // namespace stepcast
