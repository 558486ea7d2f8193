#include "sim/search/plan/plan_space.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "models/schedule/list/registry.hpp"
#include "models/schedule/model_parallel/schedules.hpp"
#include "sim/forecast/scenario.hpp"
#include "sim/search/plan/fixed_layout.hpp"
#include "traces/catalog.hpp"
#include "traces/formats/stepcast/goal_reader.hpp"
#include "traces/formats/stepcast/transformers/transformer_reader.hpp"
#include "traces/transformers.hpp"

namespace stepcast {
namespace {

constexpr double kMillion = 1e6;

std::optional<TransformerRequest> find_transformer(const std::string& workload) {
  if (workload.starts_with(kTransformerPrefix)) {
    // A plan knows the device by the cluster.
    KeyValues values = split_key_values(workload.substr(kTransformerPrefix.size()));
    if (std::ranges::find(values, "device", &KeyValues::value_type::first) == values.end())
      values.emplace_back("device", "any");
    return transformer_of(values);
  }
  return workload.ends_with(".json") ? find_transformer_file(workload) : std::nullopt;
}

/// Models by the device that they run on.
class ModelsByDevice {
 public:
  explicit ModelsByDevice(const std::string& workload)
      : request_(find_transformer(workload)),
        measured_(request_ ? Workload{} : load_workload(workload)) {}

  bool is_transformer() const { return request_.has_value(); }

  const Workload& on(const Cluster& cluster) {
    if (!request_)
      return measured_;
    TransformerRequest request = *request_;
    if (!cluster.device.name.empty())
      request.device = cluster.device.name;
    const auto [known, is_new] = models_.try_emplace(request.device);
    if (is_new)
      known->second = load_transformer(request);
    return known->second;
  }

 private:
  std::optional<TransformerRequest> request_;
  Workload measured_;
  std::map<std::string, Workload> models_;
};

/// The cluster with so many GPUs: full nodes, or a part of one.
std::optional<Cluster> resized(const std::string& name, const PlanRequest& request,
                               std::optional<std::uint32_t> gpus) {
  Settings settings = request.settings;
  const Cluster whole = with_settings(load_cluster(name), settings);
  if (!gpus || *gpus == whole.ranks())
    return whole;
  if (*gpus > whole.gpus_per_node && *gpus % whole.gpus_per_node != 0)
    return std::nullopt;
  const std::uint32_t each = std::min(*gpus, whole.gpus_per_node);
  settings.cluster.erase("nodes");
  settings.cluster.erase("gpus_per_node");
  add_size(settings, *gpus / each,
           each == whole.gpus_per_node ? std::nullopt : std::optional(each));
  return with_settings(load_cluster(name), settings);
}

double efficiency_of(const PlanFaults& faults, std::uint32_t nodes) {
  if (faults.node_mtbf == Seconds{})
    return 1;
  const Seconds mtbf = faults.node_mtbf / nodes;
  return daly_efficiency(daly_interval(faults.costs.checkpoint, mtbf), faults.costs, mtbf);
}

Bytes memory_of(const PlanRequest& request, const Cluster& cluster) {
  const Bytes has = cluster.device.memory * (1 - request.memory_reserve);
  if (!request.most_memory)
    return has;
  return has == Bytes{} ? *request.most_memory : std::min(has, *request.most_memory);
}

class SpaceMaker {
 public:
  explicit SpaceMaker(PlanRequest request) : models_(request.workload) {
    space_.request = std::move(request);
    space_.prices = load_prices(space_.request.prices);
    if (space_.prices.provenance.kind == ProvenanceKind::Assumed)
      space_.notes.push_back(
          fmt::format("The prices of {} ({}) are assumed in part; its file says "
                      "which.",
                      space_.prices.name, space_.prices.date));
  }

  PlanSpace space() && {
    for (const std::string& cluster : space_.request.clusters)
      add_sites(cluster);
    if (space_.sites.empty())
      throw InputError("`gpus`: no cluster can have so many: nodes are full, or the only one");
    add_costs();
    space_.samples = samples();
    add_schedules();
    add_candidates(space_, 0);
    check_fixed_layouts(space_);
    if (space_.candidates.empty())
      throw InputError(
          fmt::format("`global_batch`: no layout and batch of a GPU comes out even on any of {} "
                      "sizes{}",
                      space_.sites.size(), parts_in_words()));
    return std::move(space_);
  }

 private:
  const PlanRequest& request() const { return space_.request; }

  /// What bounds the layouts of a recorded pipeline.
  std::string parts_in_words() const {
    const Workload& workload = space_.sites.front().workload;
    return workload.pipeline
               ? fmt::format(
                     "; the recorded model has {} parts, of which each rank holds one or, "
                     "interleaved, two and more",
                     workload.layers.size())
               : "";
  }

  void add_sites(const std::string& name) {
    if (request().gpus.empty())
      return add_site(name, std::nullopt);
    for (const std::uint32_t gpus : request().gpus)
      add_site(name, gpus);
  }

  void add_site(const std::string& name, std::optional<std::uint32_t> gpus) {
    std::optional<Cluster> cluster = resized(name, request(), gpus);
    if (!cluster) {
      space_.notes.push_back(
          fmt::format("{} was left out with {} GPUs, which do not fill nodes.", name, *gpus));
      return;
    }
    PlanSite site{.typed = name, .cluster = *std::move(cluster)};
    site.workload = models_.on(site.cluster);
    const std::uint64_t usual = usual_batch(site.workload, site.cluster.ranks());
    site.global_batch = request().global_batch.value_or(static_cast<std::uint32_t>(usual));
    site.efficiency = efficiency_of(request().faults, site.cluster.nodes);
    site.memory = memory_of(request(), site.cluster);
    space_.sites.push_back(std::move(site));
  }

  void add_costs() {
    for (PlanSite& site : space_.sites) {
      const std::optional<double> cost = hourly_cost(space_.prices, site.cluster);
      if (!cost)
        return count_gpu_hours(site.cluster);
      site.hourly_cost = *cost;
    }
  }

  /// Takes GPU hours for the cost of every site, as the list has no price of one.
  void count_gpu_hours(const Cluster& unpriced) {
    const std::string missing =
        fmt::format("no price of cluster {} or device {}", in_quotes(unpriced.name),
                    in_quotes(unpriced.device.name));
    if (request().budget)
      throw InputError(fmt::format("`prices` {}: {}; add an entry to a list of your own",
                                   space_.prices.name, missing));
    space_.notes = {fmt::format("Costs are GPU hours, as {} has {}.", space_.prices.name, missing)};
    space_.prices.currency = kGpuHours;
    for (PlanSite& site : space_.sites)
      site.hourly_cost = site.cluster.ranks();
  }

  /// Of a recorded pipeline as many micro-batches for each copy as recorded.
  static std::uint64_t usual_batch(const Workload& workload, std::uint64_t gpus) {
    if (!workload.pipeline)
      return gpus * workload.batch;
    const RecordedPipeline& of = *workload.pipeline;
    const std::uint64_t each = std::uint64_t{of.stages} * of.tensor * of.context;
    return std::max<std::uint64_t>(1, gpus / each) * of.micro_batches;
  }

  /// Of the goal's first way of training that takes gradients alone.
  double samples_of_goal() {
    const Goal goal = load_goal(request().goal);
    const std::string& model = space_.sites.front().workload.model;
    if (!goal.model.empty() && goal.model != model)
      throw InputError(fmt::format("`goal` {}: is of model {}, not of {}", goal.name,
                                   in_quotes(goal.model), in_quotes(model)));
    const auto attempt = std::ranges::find_if(goal.attempts, [](const Attempt& each) {
      return each.epochs && std::ranges::find(first_order_schedules(), each.schedule,
                                              &ScheduleInfo::name) != first_order_schedules().end();
    });
    if (attempt == goal.attempts.end() || goal.samples == 0)
      throw InputError(fmt::format(
          "`goal` {}: counts no epochs of a way that takes gradients alone; give `samples`",
          goal.name));
    space_.notes.push_back(
        fmt::format("{}: {:g} epochs of {} samples ({}), whatever the batch; see {}.", goal.target,
                    *attempt->epochs, goal.samples, attempt->label, attempt->provenance.source));
    return *attempt->epochs * static_cast<double>(goal.samples);
  }

  double samples() {
    if (!request().goal.empty())
      return samples_of_goal();
    if (request().tokens) {
      const auto& transformer = space_.sites.front().workload.transformer;
      if (!transformer)
        throw InputError("`tokens`: expected a transformer; give `samples` for other workloads");
      return *request().tokens / transformer->shape.seq;
    }
    if (!request().samples)
      space_.notes.emplace_back(
          "Nobody said how long the job is: hours and cost are those of a million samples.");
    return request().samples.value_or(kMillion);
  }

  std::vector<std::string> names() const {
    if (!request().schedules.empty())
      return request().schedules;
    std::vector<std::string> names;
    const bool recorded = space_.sites.front().workload.pipeline.has_value();
    if (models_.is_transformer() || recorded)
      for (const ScheduleInfo& schedule : all_schedules())
        if (schedule.partitions_model() && !schedule.passes.of_user && !schedule.passes.holds_twice)
          names.push_back(schedule.name);
    if (recorded)
      return names;
    for (const ScheduleInfo& schedule : first_order_schedules())
      if (schedule.planned && !schedule.bound)
        names.push_back(schedule.name);
    return names;
  }

  void add_schedules() {
    std::vector<std::string> known;
    for (const std::string& name : names()) {
      check_schedule(space_.sites.front().workload, name);
      const ScheduleInfo& schedule = schedule_of(name);
      const std::vector<OptionInfo>& options = schedule.options;
      for (const OptionInfo& option : options)
        known.push_back(option.name);
      space_.schedules.push_back({.name = name, .cuts = schedule.partitions_model()});
      PlannedSchedule& added = space_.schedules.back();
      added.chunked = has(options, "virtual_stages");
      added.listed = combinations(options);
    }
    check_values();
    for (const ListedOption& option : request().options)
      if (std::ranges::find(known, option.name) == known.end())
        throw InputError(fmt::format("`set` {}: none of the schedules has such an option{}",
                                     option.name, did_you_mean(option.name, known)));
  }

  /// A value that one schedule takes may be refused by others, but not by all.
  void check_values() const {
    for (const ListedOption& listed : request().options)
      for (const std::string& value : listed.values)
        check_value(listed.name, value);
  }

  void check_value(const std::string& name, const std::string& value) const {
    std::string refusal;
    for (const PlannedSchedule& schedule : space_.schedules)
      for (const OptionInfo& option : schedule_of(schedule.name).options)
        if (option.name == name) {
          try {
            return check_option(option, value);
          } catch (const InputError& error) {
            refusal = error.what();
          }
        }
    if (!refusal.empty())
      throw InputError(fmt::format("`set` {}: {}", name, refusal));
  }

  static bool has(const std::vector<OptionInfo>& options, const std::string& name) {
    return std::ranges::find(options, name, &OptionInfo::name) != options.end();
  }

  std::vector<ScheduleOptions> combinations(const std::vector<OptionInfo>& options) const {
    std::vector<ScheduleOptions> all(1);
    for (const ListedOption& option : request().options) {
      if (!has(options, option.name))
        continue;
      std::vector<ScheduleOptions> longer;
      for (const ScheduleOptions& each : all)
        for (const std::string& value : option.values) {
          longer.push_back(each);
          longer.back()[option.name] = value;
        }
      all = std::move(longer);
    }
    return all;
  }

  ModelsByDevice models_;
  PlanSpace space_;
};

}  // namespace

PlanSpace plan_space_of(PlanRequest request) {
  return SpaceMaker(std::move(request)).space();
}

}  // namespace stepcast
