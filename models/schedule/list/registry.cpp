#include "models/schedule/list/registry.hpp"

#include <algorithm>
#include <iterator>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "models/schedule/accumulation.hpp"
#include "models/schedule/edited/host_work.hpp"
#include "models/schedule/edited/input_pipeline.hpp"
#include "models/schedule/list/presets.hpp"
#include "models/schedule/memory.hpp"
#include "models/schedule/model_parallel/exchange_options.hpp"
#include "models/schedule/model_parallel/schedules.hpp"
#include "models/schedule/options.hpp"
#include "models/schedule/replicas.hpp"
#include "models/workload/transformer/transformer_workload.hpp"

namespace stepcast {

#define STEPCAST_SCHEDULE(name) ScheduleInfo name##_schedule();
#include "models/schedule/list/schedules.inc"
#undef STEPCAST_SCHEDULE

namespace {

bool has_option(const ScheduleInfo& schedule, std::string_view name) {
  return std::ranges::find(schedule.options, name, &OptionInfo::name) != schedule.options.end();
}

// Every schedule whose plan replicates the model accumulates gradients and has an optimiser, whose
// state takes memory. One that communicates in every pass does so itself and has the option
// already. Others bring what they have of both.
void add_common_options(ScheduleInfo& schedule) {
  if (schedule.partitions_model() || schedule.asynchronous)
    return;
  if (!has_option(schedule, kAccumulation)) {
    schedule.options.push_back(accumulation_option());
    schedule.accumulates_itself = false;
  }
  schedule.options.push_back(optimiser_option());
}

std::vector<ScheduleInfo> with_common_options(std::vector<ScheduleInfo> schedules) {
  std::ranges::for_each(schedules, add_common_options);
  return schedules;
}

/// Those of add_schedule(): a list, as references to them are handed out.
std::list<ScheduleInfo>& added_schedules() {
  static std::list<ScheduleInfo> schedules;
  return schedules;
}

template <typename Schedules>
const ScheduleInfo* find_in(const Schedules& schedules, std::string_view name) {
  const auto found = std::ranges::find(schedules, name, &ScheduleInfo::name);
  return found == schedules.end() ? nullptr : &*found;
}

/// The schedules without those that `leaves_out` holds of.
template <typename LeavesOut>
std::vector<ScheduleInfo> without(std::vector<ScheduleInfo> schedules, LeavesOut leaves_out) {
  std::erase_if(schedules, leaves_out);
  return schedules;
}

template <class Info>
auto& option_of(Info& schedule, std::string_view name) {
  return *std::ranges::find(schedule.options, name, &OptionInfo::name);
}

/// Offers the exchanges of all others to the schedules of passes.
void offer_exchanges(std::vector<ScheduleInfo>& schedules) {
  std::vector<std::string> names;
  for (const ScheduleInfo& schedule : schedules)
    if (schedule.is_exchange())
      names.push_back(schedule.name);
  for (ScheduleInfo& schedule : schedules)
    if (schedule.partitions_model())
      std::ranges::copy(names, std::back_inserter(option_of(schedule, kExchange).words));
}

/// Schedules of passes with the exchange of another one, by both names, as they are asked for.
struct Pairs {
  std::map<std::pair<std::string, std::string>, ScheduleInfo> by_names;
  std::mutex mutex;
};
Pairs& pairs() {
  static Pairs all;
  return all;
}

ScheduleInfo with_exchange(ScheduleInfo passes, const ScheduleInfo& exchange) {
  const std::vector<OptionInfo> own = own_exchange_options();
  std::erase_if(passes.options, [&](const OptionInfo& option) {
    return std::ranges::find(own, option.name, &OptionInfo::name) != own.end();
  });
  option_of(passes, kExchange).default_value = exchange.name;
  option_of(passes, kExchange).words = {exchange.name};
  for (OptionInfo option : exchange.options) {
    if (option.name == kAccumulation || option.name == optimiser_option().name)
      continue;
    if (has_option(passes, option.name))
      option.name = kOfExchange + option.name;
    if (option.search)  // of whole jobs: a part cannot be simulated by itself
      std::erase(option.words, option.search->word);
    option.group = kExchange;
    passes.options.push_back(std::move(option));
  }
  passes.compressed = exchange.compressed;
  passes.passes.exchange = std::make_shared<const ScheduleInfo>(exchange);
  return passes;
}

}  // namespace

const std::vector<ScheduleInfo>& all_schedules() {
  static const std::vector<ScheduleInfo> schedules = [] {
    std::vector<ScheduleInfo> all = with_common_options({
#define STEPCAST_SCHEDULE(name) name##_schedule(),
#include "models/schedule/list/schedules.inc"
#undef STEPCAST_SCHEDULE
    });
    offer_exchanges(all);
    return all;
  }();
  return schedules;
}

const std::vector<ScheduleInfo>& data_parallel_schedules() {
  static const std::vector<ScheduleInfo> schedules =
      without(all_schedules(), [](const ScheduleInfo& schedule) {
        return schedule.asynchronous || schedule.partitions_model();
      });
  return schedules;
}

const std::vector<ScheduleInfo>& asynchronous_schedules() {
  static const std::vector<ScheduleInfo> schedules =
      without(all_schedules(), [](const ScheduleInfo& schedule) { return !schedule.asynchronous; });
  return schedules;
}

const std::vector<ScheduleInfo>& partitioned_schedules() {
  static const std::vector<ScheduleInfo> schedules = without(
      all_schedules(), [](const ScheduleInfo& schedule) { return !schedule.partitions_model(); });
  return schedules;
}

const std::vector<ScheduleInfo>& first_order_schedules() {
  static const std::vector<ScheduleInfo> schedules =
      without(data_parallel_schedules(), [](const ScheduleInfo& schedule) {
        return schedule.second_order || schedule.compressed || schedule.more_work;
      });
  return schedules;
}

const ScheduleInfo* find_schedule(std::string_view name) {
  if (const ScheduleInfo* listed = find_in(all_schedules(), name))
    return listed;
  if (const ScheduleInfo* added = find_in(added_schedules(), name))
    return added;
  return find_in(preset_schedules(), name);
}

std::vector<ScheduleInfo> compressed_schedules() {
  return without(all_schedules(),
                 [](const ScheduleInfo& schedule) { return !schedule.compressed; });
}

const ScheduleInfo& sequential_schedule() {
  return *std::ranges::find(all_schedules(), true, &ScheduleInfo::sequential);
}

void add_schedule(ScheduleInfo schedule) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyz0123456789-";
  if (schedule.name.empty() || schedule.name.find_first_not_of(kAllowed) != std::string::npos)
    throw InputError(
        fmt::format("schedule {}: expected a name of lower-case letters, digits and hyphens",
                    in_quotes(schedule.name)));
  if (find_in(all_schedules(), schedule.name) != nullptr)
    throw InputError(fmt::format("schedule {}: there is one of that name; give it another",
                                 in_quotes(schedule.name)));
  add_common_options(schedule);
  auto& added = added_schedules();
  const auto same = std::ranges::find(added, schedule.name, &ScheduleInfo::name);
  if (same == added.end())
    added.push_back(std::move(schedule));
  else
    *same = std::move(schedule);
  std::erase_if(pairs().by_names, [](const auto& pair) {
    return find_in(added_schedules(), pair.first.second) != nullptr;
  });
}

const ScheduleInfo& schedule_of(std::string_view name) {
  if (const ScheduleInfo* found = find_schedule(name))
    return *found;
  std::vector<std::string> names;
  std::ranges::transform(all_schedules(), std::back_inserter(names), &ScheduleInfo::name);
  std::ranges::transform(added_schedules(), std::back_inserter(names), &ScheduleInfo::name);
  std::vector<std::string> known = names;
  std::ranges::transform(preset_schedules(), std::back_inserter(known), &ScheduleInfo::name);
  throw InputError(fmt::format("unknown schedule {}: expected one of {}{}", in_quotes(name),
                               fmt::join(names, ", "), did_you_mean(name, known)));
}

const ScheduleInfo& schedule_of(std::string_view name, const ScheduleOptions& options) {
  const ScheduleInfo& info = schedule_of(name);
  const auto given = options.find(kExchange);
  if (!info.partitions_model() || given == options.end() || given->second == kOwnExchange)
    return info;
  const ScheduleInfo* const exchange = find_schedule(given->second);
  const std::vector<std::string> own = exchange_options().front().words;
  if (exchange == nullptr || std::ranges::find(own, exchange->name) != own.end())
    return info;  // whose reader says what is wrong
  if (!exchange->is_exchange())
    throw InputError(fmt::format(
        "{}: option {}: {} does more in a step than exchange the gradients "
        "of one backward pass: expected one of {}",
        info.name, kExchange, exchange->name, fmt::join(option_of(info, kExchange).words, ", ")));
  const std::scoped_lock lock(pairs().mutex);
  const auto [pair, is_new] = pairs().by_names.try_emplace({info.name, exchange->name});
  if (is_new)
    pair->second = with_exchange(info, *exchange);
  return pair->second;
}

namespace {

/// Ranks that share a model communicate with their counterparts of other models alone.
Plan plan_of_replicas(const ScheduleInfo& info, const Workload& workload, const Cluster& cluster,
                      const OptionReader& read) {
  if (workload.model_group <= 1)
    return info.build(workload, cluster, read);
  if (!info.trains_in_step())
    throw InputError(
        fmt::format("{}: {} was recorded on {} ranks that share the model: expected a "
                    "data-parallel schedule in which all ranks train in step",
                    info.name, workload.name, workload.model_group));
  const Team replicas = model_replicas(cluster, workload.model_group);
  return plan_over_replicas(info.build(workload, replica_cluster(cluster, replicas), read),
                            replicas);
}

Plan build_plan(const ScheduleInfo& info, const Workload& workload, const Cluster& cluster,
                const OptionReader& read) {
  if (workload.pipeline)
    throw InputError(fmt::format(
        "{}: {} was recorded in {} stages: expected a schedule that cuts the model, such as {}",
        info.name, workload.name, workload.pipeline->stages, workload.pipeline->schedule));
  const std::uint32_t passes = has_option(info, kAccumulation) ? read.count(kAccumulation) : 1;
  const Workload accumulating =
      passes > 1 ? with_accumulated_gradients(workload, passes) : Workload{};
  const Workload& of_passes = passes > 1 ? accumulating : workload;
  Plan plan = plan_of_replicas(info, of_passes, cluster, read);
  plan.summary.compressed = info.compressed;
  plan.summary.bound = info.bound;
  if (!info.accumulates_itself)
    plan = with_accumulation(std::move(plan), of_passes, passes);
  plan = with_host(std::move(plan), workload, cluster);
  return with_input(std::move(plan), workload.input);
}

}  // namespace

Plan build_plan(std::string_view schedule, const Workload& workload, const Cluster& cluster,
                const ScheduleOptions& options) {
  const ScheduleInfo& info = schedule_of(schedule, options);
  if (info.partitions_model())
    return build_hybrid(info, workload, cluster, options).hybrid.plan;
  const ScheduleOptions effective = effective_options(info, options, workload);
  return build_plan(info, workload, cluster, OptionReader(info.name, info.options, effective));
}

std::uint32_t training_ranks(std::string_view schedule, const Cluster& cluster,
                             const ScheduleOptions& options) {
  const ScheduleInfo& info = schedule_of(schedule);
  const ScheduleOptions effective = effective_options(info, options);
  return info.training_ranks
             ? info.training_ranks(cluster, OptionReader(info.name, info.options, effective))
             : cluster.ranks();
}

}  // namespace stepcast
