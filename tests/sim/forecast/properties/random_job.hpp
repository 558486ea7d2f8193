#pragma once
// Random workloads, clusters, schedules and options. How many cases and from which seed on:
// STEPCAST_PROPERTY_CASES (100) and STEPCAST_PROPERTY_SEED (1).

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "models/schedule/list/registry.hpp"
#include "sim/forecast/forecast.hpp"
#include "traces/catalog.hpp"

namespace stepcast {

inline std::uint32_t from_environment(const char* name, std::uint32_t otherwise) {
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
inline const Workload& shipped() {
  static const Workload workload = [] {
    ::setenv("STEPCAST_DATA", STEPCAST_SOURCE_DIR, 1);
    return load_workload("resnet50-rtx2080ti-bs64");
  }();
  return workload;
}

inline Workload random_workload(Draw& draw) {
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

inline Cluster random_cluster(Draw& draw) {
  Cluster cluster = load_cluster("rtx2080ti-16x4-10gbe");
  cluster.nodes = 1 + draw.below(4);
  cluster.gpus_per_node = 1 + draw.below(3);
  cluster.nic.bandwidth = BytesPerSecond{draw.between(1e8, 1e11)};
  cluster.intra_node.bandwidth = BytesPerSecond{draw.between(1e9, 1e12)};
  cluster.nic.startup = Seconds{draw.between(1e-7, 1e-4)};
  cluster.overlap.launch_wait = 0;  // what is computed at the instant of a launch may fall together
  return cluster;
}

inline void set_options(Draw& draw, const ScheduleInfo& schedule, ScheduleOptions& options) {
  for (const OptionInfo& option : schedule.options) {
    if (option.search || draw.below(3) > 0)
      continue;
    const auto most = static_cast<std::uint32_t>(std::clamp(option.range.most, 1.0, 4.0));
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
        options[option.name] = std::to_string(1 + draw.below(most));
        break;
      case OptionKind::Text:
        break;
      case OptionKind::Series:
      case OptionKind::Number:
        options[option.name] = std::to_string(draw.between(0.01, 1));
        break;
    }
  }
}

/// Of one of the schedules, each in its turn.
inline RandomJob random_job(std::uint32_t seed, const std::vector<ScheduleInfo>& schedules) {
  Draw draw(seed);
  RandomJob job{.workload = random_workload(draw), .cluster = random_cluster(draw)};
  const ScheduleInfo& schedule = schedules[seed % schedules.size()];
  job.schedule = schedule.name;
  set_options(draw, schedule, job.options);
  if (draw.below(4) == 0)
    job.stragglers[draw.below(job.cluster.ranks())] = draw.between(1, 3);
  return job;
}

inline Forecast forecast_of_job(const RandomJob& job, Fidelity fidelity, bool fold = true) {
  const Plan plan = build_plan(job.schedule, job.workload, job.cluster, job.options);
  const EngineOptions engine{.fidelity = fidelity, .stragglers = job.stragglers, .fold = fold};
  return make_forecast(job.workload, job.cluster, plan, job.options, fidelity,
                       simulate(plan, job.cluster, engine));
}

/// As many cases as asked for; those whose options a schedule refuses are no cases.
template <class Check>
void for_each_case(Check check,
                   const std::vector<ScheduleInfo>& schedules = data_parallel_schedules()) {
  const std::uint32_t first = from_environment("STEPCAST_PROPERTY_SEED", 1);
  const std::uint32_t cases = from_environment("STEPCAST_PROPERTY_CASES", 100);
  std::uint32_t refused = 0;
  for (std::uint32_t seed = first; seed < first + cases; ++seed) {
    const RandomJob job = random_job(seed, schedules);
    SCOPED_TRACE("seed " + std::to_string(seed) + ", " + job.schedule);
    try {
      check(job);
    } catch (const InputError&) {
      ++refused;
    } catch (const SimulationError& error) {
      ADD_FAILURE() << error.what();
    }
  }
  std::printf("%u cases, %u more refused\n", cases - refused, refused);
  EXPECT_LT(refused, cases * 2 / 3 + 1) << "too few cases are left";
}

}  // namespace stepcast
