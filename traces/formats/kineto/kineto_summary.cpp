#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "traces/formats/kineto/device_idle.hpp"
#include "traces/formats/kineto/intervals.hpp"
#include "traces/formats/kineto/kineto_workload.hpp"
#include "traces/formats/kineto/shapes/input_shapes.hpp"
#include "traces/formats/kineto/steps/device_steps.hpp"

namespace stepcast {
namespace {

void add_overlap(const KinetoTrace& trace, const KinetoView& view, TraceSummary& summary) {
  std::vector<Interval> computing;
  std::vector<Interval> communicating;
  for (const DeviceWork& work : view.work) {
    const KinetoEvent& event = trace.events[work.event];
    (work.phase == WorkPhase::Communication ? communicating : computing)
        .emplace_back(event.start, event.end());
  }
  const auto all = united(communicating);
  summary.overlapped_communication = common_length(united(computing), all);
  summary.exposed_communication = length_of(all) - summary.overlapped_communication;
}

/// Kernels by phase; copies within the device and fills apart, as other tools count them. What no
/// step launched is no part of the training.
std::string category_of(const KinetoTrace& trace, const DeviceWork& work) {
  if (work.before_profile)
    return "before the profile";
  if (work.step == kNoStep)
    return "outside of steps";
  const KinetoEvent& event = trace.events[work.event];
  if (event.kind == KinetoKind::Fill)
    return "fill";
  if (event.kind == KinetoKind::Copy && work.phase != WorkPhase::InputCopy &&
      work.phase != WorkPhase::OutputCopy)
    return "device-copy";
  return name_of(work.phase);
}

void add_categories(const KinetoTrace& trace, const KinetoView& view, TraceSummary& summary) {
  std::map<std::string, TraceSummary::Category> by_name;
  for (const DeviceWork& work : view.work) {
    TraceSummary::Category& category = by_name[category_of(trace, work)];
    category.time += trace.events[work.event].duration;
    ++category.count;
  }
  for (auto& [name, category] : by_name) {
    category.name = name;
    summary.categories.push_back(category);
  }
}

void add_collectives(const KinetoTrace& trace, const KinetoView& view, TraceSummary& summary) {
  std::map<std::tuple<std::string, Bytes, GroupRanks>, CollectiveSummary> found;
  for (const DeviceWork& work : view.work) {
    if (work.phase != WorkPhase::Communication)
      continue;
    const KnownCollective known = collective_of(trace, work);
    const std::string kind = known.kind ? name_of(*known.kind) : "unknown";
    const bool all = trace.world_size && known.group.size() == *trace.world_size;
    const GroupRanks group = all ? GroupRanks() : known.group;
    CollectiveSummary& entry = found[{kind, known.size, group}];
    entry.kind = kind;
    entry.group = group;
    entry.size = known.size;
    entry.time += trace.events[work.event].duration;
    ++entry.count;
  }
  for (const auto& [key, entry] : found)
    summary.collectives.push_back(entry);
}

/// Copies of input are left out of computation as they are of an imported workload.
void add_steps(const KinetoTrace& trace, const KinetoView& view, TraceSummary& summary) {
  const std::vector<StepLoad> loads = step_loads(trace, view);
  for (std::size_t i = 0; i < loads.size(); ++i)
    summary.steps.push_back({.name = view.steps.steps[i].name,
                             .duration = view.device_steps[i].duration(),
                             .host = view.steps.steps[i].duration(),
                             .whole = view.device_steps[i].whole,
                             .stalled = view.device_steps[i].stalled,
                             .device = loads[i].computing,
                             .input_copies = loads[i].copies,
                             .copies_alone = loads[i].copies_alone});
  for (const DeviceWork& work : view.work) {
    if (work.step == kNoStep)
      continue;
    StepSummary& step = summary.steps[work.step];
    if (work.phase == WorkPhase::Communication)
      step.communication += trace.events[work.event].duration;
    ++step.work;
  }
  if (const Seconds period = device_period(view); !view.work.empty() && period > Seconds{})
    summary.device_step = period;
}

void add_idle(const IdleTime& idle, StepSummary& step) {
  step.host_gaps += idle.without_collectives();
  step.collective_waits += idle.collective;
}

/// What the device idled in each step, see find_idle().
void add_idle(const KinetoTrace& trace, const KinetoView& view, TraceSummary& summary) {
  const DeviceIdle idle = find_idle(trace, view);
  for (std::size_t i = 0; i < view.work.size(); ++i)
    if (view.work[i].step != kNoStep)
      add_idle(idle.before[i], summary.steps[view.work[i].step]);
  for (std::size_t i = 0; i < summary.steps.size(); ++i)
    add_idle(idle.behind[i], summary.steps[i]);
}

std::string batch_text(const BatchGuess& guess) {
  return guess.batch == 0 ? fmt::format("not known: {}", guess.evidence)
                          : fmt::format("{} (guessed: {})", guess.batch, guess.evidence);
}

}  // namespace

TraceSummary summarize(const KinetoTrace& trace, const KinetoView& view) {
  TraceSummary summary{.format = trace.of_ascend ? "Ascend profiler" : "kineto"};
  const BatchGuess guess = guess_batch(trace.shapes);
  summary.batch = {guess.batch, guess.evidence};
  summary.facts = {{"device", trace.device_name.empty() ? "not recorded" : trace.device_name},
                   {"steps by", view.steps.how},
                   {"batch", batch_text(guess)}};
  if (trace.rank)
    summary.facts.emplace_back("rank", fmt::format("{}", *trace.rank));
  if (trace.world_size)
    summary.facts.emplace_back("ranks", fmt::format("{}", *trace.world_size));
  add_steps(trace, view, summary);
  add_idle(trace, view, summary);
  add_categories(trace, view, summary);
  add_collectives(trace, view, summary);
  add_overlap(trace, view, summary);
  summary.doubts = step_doubts(trace, view, summary.steps);
  return summary;
}

}  // namespace stepcast
