#include "sim/timeline/why.hpp"

#include <algorithm>
#include <array>
#include <span>

#include <fmt/format.h>

#include "models/base/numbers.hpp"
#include "models/base/text.hpp"
#include "sim/timeline/breakdown.hpp"

namespace stepcast {

namespace {

constexpr std::size_t kMostBlockers = 4;
constexpr double kLeastShare = 0.005;
constexpr double kLeastNamed = 0.0005;  // shows as 0.1 %

const std::string& label_of(const Plan& plan, TaskId id) {
  return plan.labels[plan.graph.task(id).label];
}

/// "fc", "conv1 .. fc"
std::string range_of(const Plan& plan, TaskId first, TaskId last) {
  const std::string& from = label_of(plan, first);
  const std::string& to = label_of(plan, last);
  return from == to ? from : fmt::format("{} .. {}", from, to);
}

std::string_view collective_of(const Plan& plan, TaskId id) {
  return name_of(plan.collectives[plan.graph.task(id).collective].collective.kind);
}

/// "all-reduce", "messages in layers"
std::string_view communication_of(const Plan& plan, TaskId id) {
  const Task& task = plan.graph.task(id);
  return task.kind == TaskKind::Communication ? collective_of(plan, id) : phase_of(plan, task);
}

std::string describe_compute(const Plan& plan, TaskId first, TaskId last) {
  const Task& task = plan.graph.task(first);
  if (task.kind == TaskKind::Forward || task.kind == TaskKind::Backward)
    return fmt::format("{} of {}", phase_of(plan, task), range_of(plan, first, last));
  return range_of(plan, first, last);
}

/// What the path waits for where nothing runs.
std::string describe_idle(const Plan& plan, const PathSegment& segment) {
  if (segment.first == kNone)
    return "idle";
  const Stream& stream = plan.streams[plan.graph.task(segment.first).stream];
  if (std::holds_alternative<Negotiated>(stream.rule))
    return fmt::format("cycle and negotiation of {}", stream.name);
  if (std::holds_alternative<ByPriority>(stream.rule))
    return fmt::format("turn on {}", stream.name);
  return "idle";
}

std::string describe_tasks(const Plan& plan, TaskId first, TaskId last, std::uint32_t count) {
  if (plan.graph.task(first).kind != TaskKind::Communication)
    return describe_compute(plan, first, last);
  if (count == 1)
    return fmt::format("{} \"{}\"", collective_of(plan, first), label_of(plan, first));
  return fmt::format("{} {}s \"{}\" .. \"{}\"", count, collective_of(plan, first),
                     label_of(plan, first), label_of(plan, last));
}

void add_to(std::vector<NamedTime>& times, const std::string& name, Seconds time) {
  const auto it = std::ranges::find(times, name, &NamedTime::name);
  if (it == times.end())
    times.push_back({name, time});
  else
    it->time += time;
}

/// Shares of the critical path.
struct PathShares {
  Seconds compute{};
  std::vector<NamedTime> idle;  // by what was waited for
  Seconds startup{};
  std::vector<NamedTime> communication;  // by collective, start-up included

  PathShares(const Plan& plan, std::span<const PathSegment> path) {
    for (const PathSegment& segment : path) {
      const Seconds time = segment.end - segment.begin;
      if (segment.idle)
        add_to(idle, describe_idle(plan, segment), time);
      else if (!communicates(plan, plan.graph.task(segment.first)))
        compute += time;
      else
        add_to(communication, std::string(communication_of(plan, segment.first)), time);
      startup += segment.startup;
    }
  }
};

std::string path_sentence(const Plan& plan, const std::vector<PathSegment>& path,
                          Seconds iteration) {
  const PathShares shares(plan, path);
  std::string parts = fmt::format("{} ({}) is compute", format_seconds(shares.compute),
                                  percent(shares.compute / iteration));
  for (const NamedTime& part : shares.communication)
    parts += fmt::format(", {} ({}) {}", format_seconds(part.time), percent(part.time / iteration),
                         part.name);
  for (const NamedTime& part : shares.idle)
    if (part.time > iteration * kLeastNamed)
      parts += fmt::format(", {} ({}) {}", format_seconds(part.time),
                           percent(part.time / iteration), part.name);
  if (shares.startup > iteration * kLeastShare)
    parts += fmt::format("; {} of the communication is start-up", format_seconds(shares.startup));
  return fmt::format("Of the critical path {}.", parts);
}

std::string cause_of(const Plan& plan, const Blocker& blocker) {
  if (blocker.activity == Activity::Idle)
    return "while nothing ran (negotiation, launch)";
  const std::string tasks = describe_tasks(plan, blocker.first, blocker.last, blocker.count);
  if (blocker.activity == Activity::Waiting)
    return fmt::format("for {} to join {}",
                       plan.summary.stages > 1 ? "another stage" : "slower ranks", tasks);
  if (plan.graph.task(blocker.first).kind != TaskKind::Communication)
    return fmt::format("for {}", tasks);
  return fmt::format("for {} ({})", tasks, format_bytes(blocker.size));
}

/// `forward of layer1 .. fc waited 12.3 ms (3.9 % of the step) for all-gather "group 3" (25 MiB).`
std::string blocker_sentence(const Plan& plan, const Blocker& blocker, Seconds iteration) {
  const std::string who = blocker.next_step || blocker.blocked == kNone
                              ? "the next step"
                              : describe_compute(plan, blocker.blocked, blocker.blocked_last);
  const char* whole = steps_of(plan) > 1 ? "period" : "step";
  return fmt::format("{} waited {} ({} of the {}) {}.", who, format_seconds(blocker.time),
                     percent(blocker.time / iteration), whole, cause_of(plan, blocker));
}

/// Collects the chosen ranks into "0-2, 4-63".
std::string rank_ranges(const std::vector<bool>& chosen) {
  constexpr int kMostRanges = 4;
  std::string text;
  int ranges = 0;
  for (Rank rank = 0; rank < chosen.size(); ++rank) {
    if (!chosen[rank])
      continue;
    const Rank first = rank;
    while (rank + 1 < chosen.size() && chosen[rank + 1])
      ++rank;
    if (++ranges > kMostRanges)
      return text + ", ...";
    text += fmt::format("{}{}", ranges > 1 ? ", " : "", first);
    if (rank > first)
      text += fmt::format("-{}", rank);
  }
  return text;
}

}  // namespace

std::string describe(const Plan& plan, const PathSegment& segment) {
  if (segment.idle)
    return describe_idle(plan, segment);
  return describe_tasks(plan, segment.first, segment.last, segment.count);
}

std::string describe(const Plan& plan, std::span<const PathSegment> segments) {
  std::vector<NamedTime> times;
  for (const PathSegment& segment : segments) {
    const Task* task = segment.idle ? nullptr : &plan.graph.task(segment.first);
    const std::string what = !task ? describe_idle(plan, segment)
                                   : std::string(task->kind == TaskKind::Communication
                                                     ? collective_of(plan, segment.first)
                                                     : phase_of(plan, *task));
    add_to(times, what, segment.end - segment.begin);
  }
  std::string text = fmt::format("{} stretches", segments.size());
  for (const NamedTime& part : times)
    text += fmt::format("{} {} {}", &part == &times.front() ? ":" : ",", part.name,
                        format_seconds(part.time));
  return text;
}

std::string ranks_of(const Timeline& timeline, std::span<const ClassId> classes) {
  std::vector<bool> wanted(timeline.classes.size());
  for (const ClassId rank_class : classes)
    wanted[rank_class] = true;
  std::vector<bool> chosen;
  for (const ClassId rank_class : timeline.class_of_rank)
    chosen.push_back(wanted[rank_class]);
  const char* noun = std::ranges::count(chosen, true) == 1 ? "rank" : "ranks";
  return fmt::format("{} {}", noun, rank_ranges(chosen));
}

std::vector<std::string> explain(const Plan& plan, const Timeline& timeline, const Window& window,
                                 const std::vector<PathSegment>& path) {
  std::vector<std::string> sentences;
  if (path.empty())
    return sentences;
  sentences.push_back(path_sentence(plan, path, window.length));
  std::size_t written = 0;
  for (const Blocker& blocker : blockers_of(plan, timeline, window)) {
    if (written == kMostBlockers || blocker.time < window.length * kLeastShare)
      break;
    std::string sentence = blocker_sentence(plan, blocker, window.length);
    sentence[0] = static_cast<char>(std::toupper(sentence[0]));
    if (std::ranges::find(sentences, sentence) != sentences.end())
      continue;  // the same wait in another step of the period
    sentences.push_back(std::move(sentence));
    ++written;
  }
  return sentences;
}

}  // namespace stepcast
