#include "traces/replay/recorded_delays.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

namespace stepcast {
namespace {

constexpr Seconds kResolution{1e-9};  // Of the profiler; less is a rounding.
constexpr Seconds kLaunch{20e-6};     // A launch takes so long on its way to the device.

class DelayFinder {
 public:
  DelayFinder(RecordedStep& step, const StreamEnds& ends)
      : step_(step), before_(step.tasks.size()), earlier_(step.tasks.size()) {
    for (const auto& [before, after] : step.edges)
      before_[after].push_back(before);
    for (const auto& [stream, task] : step.earlier)
      earlier_[task].push_back(stream);
    for (std::uint16_t i = 0; i < step.streams.size(); ++i)
      if (const auto end = ends.find(step.streams[i]); end != ends.end())
        free_[i] = end->second;
    for (const RecordedTask& task : step.tasks)
      if (task.kind == RecordedKind::Kernel || task.kind == RecordedKind::Copy)
        longest_ = std::max(longest_, task.duration);
  }

  void run() {
    const auto count = static_cast<std::uint32_t>(before_.size());
    for (std::uint32_t task = 0; task < count; ++task) {
      if (step_.tasks[task].kind == RecordedKind::Host)
        continue;
      if (step_.tasks[task].kind == RecordedKind::Collective)
        collectives_.push_back(task);
      if (!step_.tasks[task].gradients)
        delay(task);
      std::optional<Seconds>& free = free_[step_.tasks[task].stream];
      free = std::max(free.value_or(end_of(task)), end_of(task));
    }
    sort_by_start(step_);
  }

 private:
  Seconds end_of(std::uint32_t task) const {
    return step_.tasks[task].start + step_.tasks[task].duration;
  }

  static void raise(std::optional<Seconds>& time, std::optional<Seconds> to) {
    if (to)
      time = std::max(time.value_or(*to), *to);
  }

  void delay(std::uint32_t task) {
    std::optional<Seconds> launched;
    std::optional<Seconds> released = free_[step_.tasks[task].stream];
    for (const std::uint32_t before : before_[task])
      raise(step_.tasks[before].kind == RecordedKind::Host ? launched : released, end_of(before));
    for (const std::uint16_t stream : earlier_[task])
      raise(released, free_[stream]);
    const bool by_launch = launched && (!released || *launched > *released);
    if (!launched && !released)
      return;
    const Seconds ready = by_launch ? *launched : wait_for_collective(task, *released);
    if (is_behind_lost_work(task, ready))
      delay_on_stream(task, ready, RecordedKind::Kernel);
    else if (by_launch)
      delay_launch(task, ready);
    else
      delay_on_stream(task, ready, RecordedKind::Delay);
  }

  bool is_behind_lost_work(std::uint32_t task, Seconds ready) const {
    const RecordedTask& work = step_.tasks[task];
    const Seconds lost = work.start - ready;
    return work.behind_lost && work.kind != RecordedKind::Collective && lost > kLaunch &&
           lost <= longest_;
  }

  /// Until when the task waited if for a collective that ended within its delay: the last one, if
  /// that explains most of it.
  Seconds wait_for_collective(std::uint32_t task, Seconds released) {
    const Seconds start = step_.tasks[task].start;
    std::optional<std::uint32_t> last;
    for (const std::uint32_t other : collectives_)
      if (step_.tasks[other].stream != step_.tasks[task].stream && end_of(other) > released &&
          end_of(other) <= start + kResolution && (!last || end_of(other) > end_of(*last)))
        last = other;
    if (!last || start - end_of(*last) > end_of(*last) - released)
      return released;
    step_.edges.emplace_back(*last, task);
    before_[task].push_back(*last);
    return end_of(*last);
  }

  void delay_launch(std::uint32_t task, Seconds launched) {
    const std::uint16_t lane = lane_of(step_.tasks[task].stream);
    raise(free_[lane], launched);
    if (const auto added = add(task, lane, *free_[lane])) {
      for (const std::uint32_t before : before_[task])
        if (step_.tasks[before].kind == RecordedKind::Host)
          step_.edges.emplace_back(before, *added);
      step_.edges.emplace_back(*added, task);
      free_[lane] = step_.tasks[task].start;
    }
  }

  void delay_on_stream(std::uint32_t task, Seconds released, RecordedKind kind) {
    const auto added = add(task, step_.tasks[task].stream, released, kind);
    if (!added)
      return;
    for (const std::uint32_t before : before_[task])
      step_.edges.emplace_back(before, *added);
    for (const std::uint16_t stream : earlier_[task])
      step_.earlier.emplace_back(stream, *added);
  }

  std::optional<std::uint32_t> add(std::uint32_t task, std::uint16_t stream, Seconds from,
                                   RecordedKind kind = RecordedKind::Delay) {
    const Seconds duration = step_.tasks[task].start - from;
    if (duration < kResolution)
      return std::nullopt;
    step_.tasks.push_back({.stream = stream,
                           .kind = kind,
                           .start = from,
                           .duration = duration,
                           .label = kind == RecordedKind::Delay ? "delay" : kLostWork});
    return static_cast<std::uint32_t>(step_.tasks.size() - 1);
  }

  std::uint16_t lane_of(std::uint16_t stream) {
    const std::string name = kLaunchesTo + step_.streams[stream];
    const auto found = std::ranges::find(step_.streams, name);
    const auto lane = static_cast<std::uint16_t>(found - step_.streams.begin());
    if (found == step_.streams.end())
      step_.streams.push_back(name);
    return lane;
  }

  RecordedStep& step_;
  Seconds longest_{};                                     // of its work
  std::vector<std::uint32_t> collectives_;                // so far
  std::vector<std::vector<std::uint32_t>> before_;        // by task
  std::vector<std::vector<std::uint16_t>> earlier_;       // by task
  std::map<std::uint16_t, std::optional<Seconds>> free_;  // by stream
};

}  // namespace

void add_delays(std::vector<RecordedStep>& steps, StreamEnds ends) {
  for (RecordedStep& step : steps) {
    DelayFinder(step, ends).run();
    for (const RecordedTask& task : step.tasks) {
      const auto [end, first] =
          ends.try_emplace(step.streams[task.stream], task.start + task.duration);
      end->second = std::max(end->second, task.start + task.duration);
    }
  }
}

std::vector<std::string> sort_by_start(RecordedStep& step) {
  std::vector<std::uint32_t> order(step.tasks.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto key = [&](std::uint32_t task) {
    return std::pair(step.tasks[task].start, step.tasks[task].kind != RecordedKind::Host);
  };
  std::ranges::stable_sort(order, {}, key);
  std::vector<std::uint32_t> place(order.size());
  std::vector<RecordedTask> tasks;
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    place[order[i]] = i;
    tasks.push_back(std::move(step.tasks[order[i]]));
  }
  step.tasks = std::move(tasks);
  std::vector<std::string> contradicted;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (const auto& [before, after] : step.edges) {
    if (place[before] < place[after])
      edges.emplace_back(place[before], place[after]);
    else
      contradicted.push_back(step.tasks[place[after]].label);
  }
  step.edges = std::move(edges);
  for (RecordedGradient& gradient : step.gradients)
    gradient.ready = place[gradient.ready];
  for (auto& [stream, task] : step.earlier)
    task = place[task];
  return contradicted;
}

}  // namespace stepcast
