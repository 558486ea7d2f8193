#include "sim/search/options/option_space.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "sim/engine/steps.hpp"
#include "sim/forecast/tuning/plan_hash.hpp"
#include "sim/jobs/edits/estimates.hpp"

namespace stepcast {
namespace {

constexpr const char* kMicroBatch = "micro_batch";
constexpr const char* kGlobalBatch = "global_batch";

/// In powers of two, of which the samples of a step can be made, whose number is then given. A
/// batch norm would tell them apart, a transformer does not; an order of the user's has its number
/// of them.
void add_micro_batches(const ScheduledJob& job, const HybridJob& planned,
                       std::vector<SearchedOption>& options) {
  if (!job.workload.transformer || job.info().passes.of_user || job.options.contains(kMicroBatch))
    return;
  SearchedOption micro_batches{
      *std::ranges::find(job.info().options, kMicroBatch, &OptionInfo::name), {}};
  micro_batches.info.default_value = std::to_string(planned.micro_batch);
  const std::uint32_t of_a_copy = planned.global_batch() / planned.layout.data;
  for (std::uint32_t size = 1; size <= of_a_copy; size *= 2)
    if (of_a_copy % size == 0)
      micro_batches.values.push_back(std::to_string(size));
  if (!job.options.contains(kGlobalBatch))
    micro_batches.beside[kGlobalBatch] = std::to_string(planned.global_batch());
  options.push_back(std::move(micro_batches));
}

std::vector<SearchedOption> searched_options(const std::vector<OptionInfo>& options,
                                             const ScheduleOptions& given) {
  std::vector<SearchedOption> all;
  for (const OptionInfo& option : options) {
    std::vector<std::string> values;
    if (option.kind == OptionKind::Size)
      for (double kib = 64; kib <= 65536; kib *= 2)
        values.push_back(fmt::format("{:.0f}KiB", kib));
    else if (!option.is_of_library)
      values = option.alternatives;
    if (!values.empty() && !given.contains(option.name))
      all.push_back({option, std::move(values)});
  }
  // Which sizes are best depends on the order, not the other way round.
  std::stable_partition(all.begin(), all.end(), [](const SearchedOption& of) {
    return of.info.kind == OptionKind::Choice;
  });
  return all;
}

}  // namespace

OptionSpace option_space_of(const ScheduledJob& job, const PlannedRun& run) {
  const ScheduleInfo& info = job.info();
  OptionSpace space{
      .options = {},
      .plan =
          [&job](const ScheduleOptions& options) {
            ScheduledJob other = job;
            other.options = options;
            return planned(other).plan;
          },
      .step = [&job, engine = run.engine](
                  const Plan& plan) { return step_time_of(plan, job.cluster, engine); },
      .estimate = [&job, engine = estimating(run.engine)](
                      const Plan& plan) { return step_time_of(plan, job.cluster, engine); }};
  if (run.pipeline || !info.compressed)
    space.options = searched_options(info.options, job.options);
  if (!run.pipeline)
    return space;
  for (SearchedOption& option : space.options)
    option.info.default_value = run.options.at(option.info.name);
  add_micro_batches(job, run.pipeline->job, space.options);
  return space;
}

std::string value_of(const SearchedOption& option, const ScheduleOptions& options) {
  const auto found = options.find(option.info.name);
  return found == options.end() ? option.info.default_value : found->second;
}

ScheduleOptions with_value(ScheduleOptions options, const SearchedOption& option,
                           const std::string& value) {
  options.erase(option.info.name);
  for (const auto& [name, with] : option.beside)
    options.erase(name);
  if (value == option.info.default_value)
    return options;
  options[option.info.name] = value;
  options.insert(option.beside.begin(), option.beside.end());
  return options;
}

std::string changes_in_words(const OptionSpace& space, const ScheduleOptions& before,
                             const ScheduleOptions& after, bool instead) {
  std::string words;
  for (const SearchedOption& option : space.options) {
    const std::string was = value_of(option, before);
    const std::string now = value_of(option, after);
    if (was == now)
      continue;
    words += fmt::format("{}{}={}", words.empty() ? "" : ", ", option.info.name, now);
    if (instead)
      words += " instead of " + was;
    for (const auto& [name, value] : option.beside)
      words += fmt::format(" ({}={})", name, value);
  }
  return words;
}

ScheduleOptions changed_options(const ScheduleOptions& before, const ScheduleOptions& after) {
  ScheduleOptions changed;
  std::ranges::set_difference(after, before, std::inserter(changed, changed.end()));
  return changed;
}

AcceptedEdit accepted_change(const OptionSpace& space, const ScheduleOptions& was,
                             const ScheduleOptions& with, Seconds before, Seconds after) {
  const bool size = std::ranges::any_of(space.options, [&](const SearchedOption& option) {
    return option.info.kind == OptionKind::Size && value_of(option, was) != value_of(option, with);
  });
  return {.kind = size ? EditKind::Resize : EditKind::Recipe,
          .text = changes_in_words(space, was, with, true),
          .gain = before - after,
          .step = after};
}

OptionSteps::OptionSteps(const OptionSpace& space, std::size_t tasks)
    : space_(space), most_tasks_(std::max<std::size_t>(10'000, 2 * tasks)) {}

std::optional<Seconds> OptionSteps::of(const ScheduleOptions& options, Bytes memory,
                                       bool any_length) {
  try {
    const Plan plan = space_.plan(options);
    if ((memory > Bytes{} && plan.memory.total() > memory) ||
        (plan.graph.size() > most_tasks_ && !any_length))
      return std::nullopt;
    const std::uint64_t hash = hash_of(plan);
    if (const auto found = known_.find(hash); found != known_.end())
      return found->second;
    work_ += simulated_work(plan.graph.size());
    return known_[hash] = space_.step(plan);
  } catch (const InputError&) {
    return std::nullopt;  // Values that the schedule refuses, or that do not go together.
  }
}

}  // namespace stepcast
