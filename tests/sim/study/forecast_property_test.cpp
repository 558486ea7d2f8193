// Properties of every forecast, on random workloads, clusters, schedules and options. How many
// cases and from which seed on: STEPCAST_PROPERTY_CASES (100) and STEPCAST_PROPERTY_SEED (1).
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "models/schedule/registry.hpp"
#include "sim/study/forecast.hpp"
#include "traces/catalog.hpp"

namespace stepcast {
namespace {

std::uint32_t from_environment(const char* name, std::uint32_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : static_cast<std::uint32_t>(std::stoul(text));
}

/// A job drawn by chance: a few layers, up to 12 GPUs, a schedule with some options set.
struct RandomJob {
  Workload workload;
  Cluster cluster;
  std::string schedule;
  ScheduleOptions options;
  std::map<Rank, double> stragglers;
};

class Draw {
 public:
  explicit Draw(std::uint32_t seed) : random_(seed) {}

  std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }
  double between(double low, double high) {
    return low * std::pow(high / low, static_cast<double>(random_() % 10007) / 10007);
  }

 private:
  std::mt19937 random_;
};

/// The device's costs of a shipped workload, so that every schedule can run.
const Workload& shipped() {
  static const Workload workload = [] {
    ::setenv("STEPCAST_DATA", STEPCAST_SOURCE_DIR, 1);
    return load_workload("resnet50-rtx2080ti-bs64");
  }();
  return workload;
}

Workload random_workload(Draw& draw) {
  Workload workload = shipped();
  const std::uint32_t layers = 2 + draw.below(6);
  std::vector<Layer> drawn;
  for (std::uint32_t i = 0; i < layers; ++i) {
    Layer layer = shipped().layers[draw.below(static_cast<std::uint32_t>(shipped().layers.size()))];
    layer.name = "layer" + std::to_string(i);
    layer.forward = Seconds{draw.between(1e-5, 1e-2)};
    layer.backward = Seconds{draw.between(1e-5, 1e-2)};
    if (draw.below(4) > 0 && layer.parameters.empty())
      layer.parameters.push_back(
          {.name = layer.name + ".weight", .elements = 1 + draw.below(1U << 22U), .matrix = true});
    drawn.push_back(std::move(layer));
  }
  drawn.front().parameters = {
      {.name = "first.weight", .elements = 1 + draw.below(1U << 20U), .matrix = true}};
  workload.layers = std::move(drawn);
  workload.edges.clear();
  return workload;
}

Cluster random_cluster(Draw& draw) {
  Cluster cluster = load_cluster("rtx2080ti-16x4-10gbe");
  cluster.nodes = 1 + draw.below(4);
  cluster.gpus_per_node = 1 + draw.below(3);
  cluster.nic.bandwidth = BytesPerSecond{draw.between(1e8, 1e11)};
  cluster.intra_node.bandwidth = BytesPerSecond{draw.between(1e9, 1e12)};
  cluster.nic.startup = Seconds{draw.between(1e-7, 1e-4)};
  cluster.overlap.launch_wait = 0;  // what is computed at the instant of a launch may fall together
  return cluster;
}

void set_options(Draw& draw, const ScheduleInfo& schedule, ScheduleOptions& options) {
  for (const OptionInfo& option : schedule.options) {
    if (option.search || draw.below(3) > 0)
      continue;
    switch (option.kind) {
      case OptionKind::Choice:
        options[option.name] =
            option.words[draw.below(static_cast<std::uint32_t>(option.words.size()))];
        break;
      case OptionKind::Size:
        options[option.name] = std::to_string(1 + draw.below(64)) + "MiB";
        break;
      case OptionKind::Time:
        options[option.name] = std::to_string(1 + draw.below(2000)) + "us";
        break;
      case OptionKind::Count:
        options[option.name] = std::to_string(1 + draw.below(4));
        break;
      case OptionKind::Number:
        options[option.name] = std::to_string(draw.between(0.01, 1));
        break;
    }
  }
}

RandomJob random_job(std::uint32_t seed) {
  Draw draw(seed);
  RandomJob job{.workload = random_workload(draw), .cluster = random_cluster(draw)};
  const auto& schedules = all_schedules();
  const ScheduleInfo& schedule = schedules[seed % schedules.size()];
  job.schedule = schedule.name;
  set_options(draw, schedule, job.options);
  if (draw.below(4) == 0)
    job.stragglers[draw.below(job.cluster.ranks())] = draw.between(1, 3);
  return job;
}

Forecast forecast_of_job(const RandomJob& job, Fidelity fidelity, bool fold = true) {
  const Plan plan = build_plan(job.schedule, job.workload, job.cluster, job.options);
  const EngineOptions engine{.fidelity = fidelity, .stragglers = job.stragglers, .fold = fold};
  return make_forecast(job.workload, job.cluster, plan, job.options, fidelity,
                       simulate(plan, job.cluster, engine));
}

/// Finite (make_forecast() checks that itself), parts that add up, a step not shorter than its
/// compute.
void expect_sound(const Forecast& forecast, const RandomJob& job) {
  const Seconds time = forecast.iteration_time;
  EXPECT_NEAR(total_of(forecast.breakdown) / time, 1, 1e-6);
  for (const LinkLoad& link : forecast.links)
    EXPECT_LE(link.utilisation, 1 + 1e-6) << link.name;
  const Seconds compute =
      (forward_time(job.workload) + backward_time(job.workload)) * forecast.passes;
  EXPECT_GE(time / compute, 1 - 1e-9) << "a step is shorter than its compute";
}

/// As many cases as asked for; those whose options a schedule refuses are no cases.
template <class Check>
void for_each_case(Check check) {
  const std::uint32_t first = from_environment("STEPCAST_PROPERTY_SEED", 1);
  const std::uint32_t cases = from_environment("STEPCAST_PROPERTY_CASES", 100);
  std::uint32_t refused = 0;
  for (std::uint32_t seed = first; seed < first + cases; ++seed) {
    const RandomJob job = random_job(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + ", " + job.schedule);
    try {
      check(job);
    } catch (const InputError&) {
      ++refused;
    } catch (const SimulationError& error) {
      ADD_FAILURE() << error.what();
    }
  }
  EXPECT_LT(refused, cases * 2 / 3) << "too few cases are left";
}

TEST(ForecastProperties, AreSoundAtEveryFidelity) {
  for_each_case([](const RandomJob& job) {
    for (const Fidelity fidelity : {Fidelity::Analytic, Fidelity::Flow, Fidelity::Step})
      expect_sound(forecast_of_job(job, fidelity), job);
  });
}

TEST(ForecastProperties, AreTheSameBytesAgain) {
  for_each_case([](const RandomJob& job) {
    EXPECT_TRUE(same(forecast_of_job(job, Fidelity::Flow), forecast_of_job(job, Fidelity::Flow)));
  });
}

TEST(ForecastProperties, AreMonotoneInTheComputeOfEveryLayer) {
  // Where streams run in order and nothing is decided at run time, a longer task delays others and
  // brings none forward. Schedules that choose at run time are exempt: these know anomalies.
  for_each_case([](const RandomJob& job) {
    const Plan plan = build_plan(job.schedule, job.workload, job.cluster, job.options);
    for (const Stream& stream : plan.streams)
      if (!std::holds_alternative<InOrder>(stream.rule))
        return;
    RandomJob slower = job;
    slower.workload = with_step_time(
        job.workload, 2 * (forward_time(job.workload) + backward_time(job.workload)));
    const Plan longer = build_plan(job.schedule, slower.workload, job.cluster, job.options);
    if (longer.graph.size() != plan.graph.size())
      return;  // it merges by the times of layers
    EXPECT_GE(forecast_of_job(slower, Fidelity::Analytic).iteration_time.value,
              forecast_of_job(job, Fidelity::Analytic).iteration_time.value * (1 - 1e-9));
  });
}

}  // namespace
}  // namespace stepcast
