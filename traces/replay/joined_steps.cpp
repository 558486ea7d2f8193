#include "traces/replay/joined_steps.hpp"

#include <algorithm>

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

}  // namespace

JoinedSteps join(std::span<const RecordedStep> steps) {
  JoinedSteps joined;
  for (const RecordedStep& step : steps) {
    const auto offset = static_cast<std::uint32_t>(joined.all.tasks.size());
    const auto places = places_of(step.streams, joined.all.streams);
    const auto host = std::ranges::find(step.tasks, 0, &RecordedTask::stream);
    joined.first.push_back(offset + static_cast<std::uint32_t>(host - step.tasks.begin()));
    joined.all.recorded += step.recorded;
    joined.all.name = step.name;
    for (const RecordedTask& task : step.tasks) {
      joined.all.tasks.push_back(task);
      joined.all.tasks.back().stream = places[task.stream];
    }
    for (const auto& [before, after] : step.edges)
      joined.all.edges.emplace_back(before + offset, after + offset);
  }
  return joined;
}

}  // namespace stepcast
