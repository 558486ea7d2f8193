#include "sim/study/crossover/boundaries.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "models/base/enum_name.hpp"
#include "models/base/error.hpp"
#include "models/network/free_software.hpp"
#include "models/schedule/break_evens.hpp"
#include "models/schedule/list/registry.hpp"
#include "sim/forecast/scenario.hpp"
#include "sim/forecast/tuning/tune.hpp"

// A boundary is found by bisecting the logarithm of the density: two forecasts for each of eighteen
// densities. It is found five times, each time with one thing less in the model, so that a report
// can say which of them moves it away from where bytes alone would put it.

namespace stepcast {
namespace {

constexpr double kLeastDensity = 1e-5;
constexpr int kHalvings = 16;  // to 0.02 % of the density

enum class Model : std::uint8_t { Whole, FreeSelection, NoStartups, NoOverlap, OwnNics };
constexpr std::uint32_t kModels = 5;

const char* name_of(Model model) {
  return name_among({"simulated", "free selection", "no start-ups", "no overlap", "own NICs"},
                    model);
}

void drop_startups(Cluster& cluster) {
  cluster.intra_node.startup = cluster.nic.startup = {};
  if (cluster.rack)
    cluster.rack->startup = {};
  cluster.software = without_costs(cluster.software);
  if (cluster.measured)  // on links with start-ups
    cluster.measured = {.name = cluster.measured->name};
}

/// As many nodes as there were GPUs, of one each, whose path is not what binds.
void give_own_nics(Cluster& cluster) {
  cluster.nodes = cluster.ranks();
  cluster.gpus_per_node = 1;
  cluster.rack.reset();
  cluster.intra_node.bandwidth =
      std::max(cluster.intra_node.bandwidth, node_link(cluster).bandwidth);
}

/// A job of the sweep, with the schedules and options of all of its combinations, but no density;
/// of an option with several values the first.
Scenario job_in(const Sweep& sweep, const Combination& first) {
  Scenario job = sweep.scenarios[first.scenario];
  job.schedules.clear();
  Settings settings = overlaid(job.settings, first.settings);
  const Combination* end = sweep.combinations.data() + sweep.combinations.size();
  for (const Combination& each : std::span(&first, end)) {
    if (each.baseline != first.baseline)
      break;
    settings.schedule.insert(each.settings.schedule.begin(), each.settings.schedule.end());
    if (std::ranges::find(job.schedules, each.schedule) == job.schedules.end())
      job.schedules.push_back(each.schedule);
  }
  settings.schedule.erase("density");
  return changed(std::move(job), std::move(settings));
}

/// Returns the job on the cluster of a model, to which its settings of the cluster are applied.
Scenario in_model(Scenario job, Model model) {
  Cluster cluster = job.cluster;
  if (model >= Model::NoStartups)
    drop_startups(cluster);
  if (model >= Model::NoOverlap)
    cluster.overlap = {};
  if (model >= Model::OwnNics)
    give_own_nics(cluster);
  job.original_cluster = std::move(cluster);
  job.settings.cluster.clear();
  return job;
}

/// The step of a schedule at a density. Without overlap a schedule of whole gradients is the one
/// that sends everything after the backward pass.
Seconds time_of(const Scenario& job, Model model, const std::string& name, double density) {
  const ScheduleInfo& info = schedule_of(name);
  const bool whole = !info.compressed && !info.asynchronous && !info.partitions_model();
  const std::string schedule =
      whole && model >= Model::NoOverlap ? sequential_schedule().name : name;
  Settings settings = job.settings;
  settings.schedule = options_in(settings, schedule);
  const auto set = [&](const char* option, const std::string& value) {
    if (has_option(schedule, option))
      settings.schedule[option] = value;
  };
  set("density", fmt::format("{:.9g}", density));
  if (model >= Model::FreeSelection)
    set("selection", "free");
  if (model >= Model::NoOverlap && info.compressed)
    set("fusion", "model");
  Scenario one = job;
  one.schedules = {schedule};
  one = changed(std::move(one), std::move(settings));
  return measured(job_of(one, schedule)).time;
}

double boundary_in(const Scenario& job, Model model, const BreakEven& pair) {
  const auto below_wins = [&](double density) {
    return time_of(job, model, pair.below, density) <= time_of(job, model, pair.above, density);
  };
  if (!below_wins(kLeastDensity))
    return kNever;
  if (below_wins(1))
    return kAlways;
  double low = std::log(kLeastDensity);
  double high = 0;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (below_wins(std::exp(middle)) ? low : high) = middle;
  }
  return std::exp((low + high) / 2);
}

std::vector<BreakEven> break_evens_of(const Scenario& job) {
  std::vector<const ScheduleInfo*> schedules;
  for (const std::string& name : job.schedules)
    schedules.push_back(&schedule_of(name));
  return break_evens(schedules, job.settings.schedule, job.workload, job.cluster.ranks());
}

/// The combinations that are the first of their jobs.
std::vector<const Combination*> jobs_of(const Sweep& sweep) {
  std::vector<const Combination*> jobs;
  for (const Combination& each : sweep.combinations)
    if (jobs.empty() || jobs.back()->baseline != each.baseline)
      jobs.push_back(&each);
  return jobs;
}

JobBoundaries without_simulation(const Combination& combination, const Scenario& job) {
  JobBoundaries of_job{.gpus = job.cluster.ranks()};
  const auto schedule = std::ranges::find(combination.cells, "schedule", &Cell::name);
  of_job.job.assign(combination.cells.begin(), schedule);
  for (const BreakEven& pair : break_evens_of(job))
    of_job.boundaries.push_back(
        {pair.below, pair.above, pair.density > 1 ? kAlways : std::max(pair.density, kNever), {}});
  return of_job;
}

/// The study tells of a job that is refused.
JobBoundaries unless_refused(const Sweep& sweep, const Combination& first) try {
  return without_simulation(first, job_in(sweep, first));
} catch (const InputError&) {
  return {};
}

/// A combination for each job and model.
Sweep sweep_of_models(const std::vector<const Combination*>& jobs) {
  Sweep sweep{.has_lists = true};
  for (std::uint32_t i = 0; i < jobs.size() * kModels; ++i) {
    sweep.combinations.push_back({.cells = jobs[i / kModels]->cells, .baseline = i / kModels});
    sweep.combinations.back().cells.push_back({"model", name_of(Model{std::uint8_t(i % kModels)})});
  }
  return sweep;
}

}  // namespace

bool is_density(double place) {
  return place > kNever && place < kAlways;
}

std::vector<std::string> boundary_models() {
  std::vector<std::string> names;
  for (std::uint8_t model = 0; model < kModels; ++model)
    names.emplace_back(name_of(Model{model}));
  return names;
}

std::size_t forecasts_of(const Sweep& sweep) {
  constexpr std::uint32_t kMostGpus = 16'384;
  std::size_t boundaries = 0;
  for (const Combination* first : jobs_of(sweep)) {
    const JobBoundaries job = unless_refused(sweep, *first);
    if (!job.boundaries.empty() && job.gpus > kMostGpus)
      throw InputError(fmt::format(
          "boundaries over the density: expected at most {} GPUs, found {}", kMostGpus, job.gpus));
    boundaries += job.boundaries.size();
  }
  return boundaries * kModels * 2 * (kHalvings + 2);
}

std::vector<JobBoundaries> find_boundaries(const Sweep& sweep, const StudyRules& rules) {
  const std::vector<const Combination*> jobs = jobs_of(sweep);
  const auto work = [&](std::uint32_t number) {
    const Scenario job = job_in(sweep, *jobs[number / kModels]);
    const Model model{static_cast<std::uint8_t>(number % kModels)};
    const Scenario modelled = in_model(job, model);
    std::vector<double> densities;
    for (const BreakEven& pair : break_evens_of(job))
      densities.push_back(boundary_in(modelled, model, pair));
    return densities;
  };
  std::vector<JobBoundaries> all;
  for (const auto& [number, densities] :
       find_each<std::vector<double>>(sweep_of_models(jobs), rules, work)) {
    const Combination& first = *jobs[number / kModels];
    if (number % kModels == 0)
      all.push_back(without_simulation(first, job_in(sweep, first)));
    for (std::size_t pair = 0; pair < densities.size(); ++pair)
      all.back().boundaries[pair].simulated.push_back(densities[pair]);
  }
  std::erase_if(all, [](const JobBoundaries& job) { return job.boundaries.empty(); });
  return all;
}

}  // namespace stepcast
