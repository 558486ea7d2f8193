#include "traces/formats/kineto/steps.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "models/base/text.hpp"

namespace stepcast {

namespace {

/// What is between two steps, if that is one step; whether anything ran there is left open.
std::optional<KinetoStep> skipped_between(const KinetoSteps& steps, std::uint32_t before) {
  const std::uint32_t number = common_number(steps, before);
  const KinetoStep& earlier = steps.steps[before];
  const KinetoStep& later = steps.steps[before + 1];
  if (common_number(steps, before + 1) != number + 2 || later.begin <= earlier.end)
    return std::nullopt;
  return KinetoStep{.name = fmt::format("{}{}", kProfilerStep, number + 1),
                    .begin = earlier.end,
                    .end = later.begin,
                    .mark_lost = true};
}

/// When operators began, in order.
std::vector<Seconds> begins_of_operators(const KinetoTrace& trace) {
  std::vector<Seconds> begins;
  for (const KinetoEvent& event : trace.events)
    if (event.kind == KinetoKind::Operator)
      begins.push_back(event.start);
  std::ranges::sort(begins);
  return begins;
}

bool ran_anything(const KinetoStep& step, const std::vector<Seconds>& begins) {
  const auto first = std::ranges::lower_bound(begins, step.begin);
  return first != begins.end() && *first < step.end;
}

/// Leaves out steps that share more than a tenth of their time with another one, as those do that
/// were recorded before and after the clock was set back: what ran in which is not known.
void leave_out_overlapping_steps(KinetoSteps& steps) {
  constexpr double kTolerated = 0.1;  // Of the shorter one.
  std::vector<bool> overlaps(steps.steps.size());
  for (std::size_t i = 0; i < steps.steps.size(); ++i)
    for (std::size_t k = i + 1; k < steps.steps.size(); ++k) {
      const KinetoStep& earlier = steps.steps[i];
      const KinetoStep& later = steps.steps[k];
      if (later.begin >= earlier.end)
        break;
      const Seconds shared = std::min(earlier.end, later.end) - later.begin;
      if (shared > kTolerated * std::min(earlier.duration(), later.duration()))
        overlaps[i] = overlaps[k] = true;
    }
  std::vector<KinetoStep> kept;
  for (std::size_t i = 0; i < steps.steps.size(); ++i)
    if (!overlaps[i])
      kept.push_back(std::move(steps.steps[i]));
  steps.overlapping = steps.steps.size() - kept.size();
  steps.steps = std::move(kept);
}

/// Puts back a step whose ProfilerStep annotation was not recorded: of two that follow each other
/// and skip one number, between which operators ran, what is between is the skipped one. Where more
/// numbers are skipped, where one of them ended is not known, and none comes back.
void restore_lost_steps(const KinetoTrace& trace, KinetoSteps& steps) {
  std::vector<KinetoStep> skipped;
  for (std::uint32_t i = 0; i + 1 < steps.steps.size(); ++i)
    if (auto step = skipped_between(steps, i))
      skipped.push_back(*std::move(step));
  if (skipped.empty())
    return;
  const std::vector<Seconds> begins = begins_of_operators(trace);
  std::ranges::copy_if(skipped, std::back_inserter(steps.steps),
                       [&](const KinetoStep& step) { return ran_anything(step, begins); });
  std::ranges::sort(steps.steps, {}, &KinetoStep::begin);
}

using Events = std::vector<const KinetoEvent*>;

Events annotations_by_start(const KinetoTrace& trace) {
  Events found;
  for (const KinetoEvent& event : trace.events)
    if (event.kind == KinetoKind::Annotation)
      found.push_back(&event);
  std::ranges::stable_sort(found, {}, &KinetoEvent::start);
  return found;
}

Seconds begin_of(const KinetoTrace& trace) {
  Seconds begin = trace.events.empty() ? Seconds{} : trace.events.front().start;
  for (const KinetoEvent& event : trace.events)
    begin = std::min(begin, event.start);
  return begin;
}

/// Of operators and device work: what the profiler does when it stops is no part of a step.
Seconds end_of(const KinetoTrace& trace) {
  Seconds end = begin_of(trace);
  for (const KinetoEvent& event : trace.events)
    if (event.kind == KinetoKind::Operator || is_device_work(event.kind))
      end = std::max(end, event.end());
  return end;
}

/// Steps between moments: each until the next one's begin.
KinetoSteps from(const KinetoTrace& trace, const Events& marks, std::string how,
                 const std::vector<Seconds>& ends) {
  KinetoSteps result{.steps = {}, .how = std::move(how), .thread = marks.front()->thread};
  for (std::size_t i = 0; i < marks.size(); ++i)
    if (ends[i] > marks[i]->start)
      result.steps.push_back(
          {.name = trace.name_of(*marks[i]), .begin = marks[i]->start, .end = ends[i]});
  return result;
}

/// Each lasts until the next begins; the last one to `end`.
std::vector<Seconds> ends_at_next(const Events& marks, Seconds end) {
  std::vector<Seconds> ends;
  for (std::size_t i = 1; i < marks.size(); ++i)
    ends.push_back(marks[i]->start);
  ends.push_back(end);
  return ends;
}

/// 0 of a ProfilerStep without a number.
std::uint64_t number_of(std::string_view name) {
  return number_at_end(name).value_or(0);
}

/// A step lasts until the next in number begins. Before steps that were not recorded, and at the
/// end, it ends with its own annotation.
std::vector<Seconds> ends_of_profiler_steps(const KinetoTrace& trace, const Events& marks) {
  std::vector<Seconds> ends;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const bool followed = i + 1 < marks.size() && number_of(trace.name_of(*marks[i + 1])) <=
                                                      number_of(trace.name_of(*marks[i])) + 1;
    ends.push_back(followed ? marks[i + 1]->start : marks[i]->end());
  }
  return ends;
}

Events profiler_steps(const KinetoTrace& trace, const Events& annotations) {
  Events marks;
  for (const KinetoEvent* event : annotations)
    if (trace.name_of(*event).starts_with(kProfilerStep))
      marks.push_back(event);
  return marks;
}

/// Whether each begins after the one before has ended. One inside another is no next step.
bool in_a_row(const Events& marks) {
  return std::ranges::adjacent_find(marks, [](const KinetoEvent* a, const KinetoEvent* b) {
           return b->start < a->end();
         }) == marks.end();
}

/// PyTorch's own record of a collective: "nccl:all_reduce".
bool notes_collective(std::string_view name) {
  constexpr std::array<std::string_view, 4> kBackends = {"nccl:", "gloo:", "mpi:", "ucc:"};
  return std::ranges::any_of(kBackends, [&](std::string_view b) { return name.starts_with(b); });
}

Events first_that_repeats(const KinetoTrace& trace, const Events& annotations) {
  std::map<std::uint32_t, Events> by_name;
  for (const KinetoEvent* event : annotations)
    if (!notes_collective(trace.name_of(*event)))
      by_name[event->name].push_back(event);
  for (const KinetoEvent* event : annotations)
    if (const Events& marks = by_name[event->name]; marks.size() > 1 && in_a_row(marks))
      return marks;
  return {};
}

std::uint16_t busiest_thread(const KinetoTrace& trace) {
  std::map<std::uint16_t, std::size_t> operators;
  for (const KinetoEvent& event : trace.events)
    if (event.kind == KinetoKind::Operator)
      ++operators[event.thread];
  const auto most = std::ranges::max_element(operators, {}, [](auto& e) { return e.second; });
  return most == operators.end() ? std::uint16_t{0} : most->first;
}

}  // namespace

KinetoSteps find_steps(const KinetoTrace& trace) {
  const Events annotations = annotations_by_start(trace);
  if (const Events marks = profiler_steps(trace, annotations); !marks.empty()) {
    KinetoSteps found =
        from(trace, marks, "ProfilerStep annotations", ends_of_profiler_steps(trace, marks));
    leave_out_overlapping_steps(found);
    restore_lost_steps(trace, found);
    if (!found.steps.empty())
      return found;
  }
  if (const Events marks = first_that_repeats(trace, annotations); !marks.empty()) {
    KinetoSteps found =
        from(trace, marks, fmt::format("annotation \"{}\"", trace.name_of(*marks.front())),
             ends_at_next(marks, end_of(trace)));
    for (std::size_t i = 0; i < found.steps.size(); ++i)
      found.steps[i].name = fmt::format("step {}", i);
    if (!found.steps.empty())
      return found;
  }
  return {.steps = {{.name = "trace", .begin = begin_of(trace), .end = end_of(trace)}},
          .how = "no annotation: all of the trace is one step",
          .marked = false,
          .thread = busiest_thread(trace)};
}

std::uint32_t common_number(const KinetoSteps& steps, std::uint32_t place) {
  const std::string& name = steps.steps[place].name;
  return name.starts_with(kProfilerStep) ? static_cast<std::uint32_t>(number_of(name)) : place;
}

}  // namespace stepcast
