#include "traces/replay/joined_steps.hpp"

#include <algorithm>
#include <map>

namespace stepcast {
namespace {

/// Streams of one step as streams of all, by their names.
std::vector<std::uint16_t> places_of(const std::vector<std::string>& streams,
                                     std::vector<std::string>& known) {
  std::vector<std::uint16_t> places;
  for (const std::string& name : streams) {
    auto found = std::ranges::find(known, name);
    if (found == known.end())
      found = known.insert(known.end(), name);
    places.push_back(static_cast<std::uint16_t>(found - known.begin()));
  }
  return places;
}

using LastTasks = std::map<std::uint16_t, std::uint32_t>;  // by stream

/// What waits for the steps before: in this round, or for the end of the round before.
void add_earlier(const RecordedStep& step, std::uint32_t offset,
                 const std::vector<std::uint16_t>& places, const LastTasks& last,
                 RecordedStep& all) {
  for (const auto& [stream, task] : step.earlier) {
    if (const auto before = last.find(places[stream]); before != last.end())
      all.edges.emplace_back(before->second, task + offset);
    else
      all.earlier.emplace_back(places[stream], task + offset);
  }
}

}  // namespace

JoinedSteps join(std::span<const RecordedStep> steps) {
  JoinedSteps joined;
  LastTasks last;
  for (const RecordedStep& step : steps) {
    const auto offset = static_cast<std::uint32_t>(joined.all.tasks.size());
    const auto places = places_of(step.streams, joined.all.streams);
    joined.begin.push_back(offset);
    joined.all.recorded += step.recorded;
    joined.all.name = step.name;
    for (const RecordedTask& task : step.tasks) {
      joined.all.tasks.push_back(task);
      joined.all.tasks.back().stream = places[task.stream];
    }
    for (const auto& [before, after] : step.edges)
      joined.all.edges.emplace_back(before + offset, after + offset);
    add_earlier(step, offset, places, last, joined.all);
    for (std::uint32_t i = offset; i < joined.all.tasks.size(); ++i)
      last[joined.all.tasks[i].stream] = i;
  }
  return joined;
}

}  // namespace stepcast
