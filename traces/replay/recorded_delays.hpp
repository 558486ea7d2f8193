#pragma once

#include <map>
#include <string>
#include <vector>

#include "traces/replay/recorded_step.hpp"

namespace stepcast {

/// Until when each stream, by its name, was busy.
using StreamEnds = std::map<std::string, Seconds>;

/// What the name of a stream begins with that holds the delays of launches on their way.
inline constexpr const char* kLaunchesTo = "launches to ";

/// Adds to steps in succession, as tasks of kind Delay, by how much device work starts later than
/// the last of what it waits for. What waited for its launch last has its delay on the way from the
/// host, where launches follow each other in order: a stream that is still busy when a launch
/// arrives hides it. What waited for other device work last has it on its own stream.
///
/// Most of such a delay on its stream, where it ends with the end of a collective on another, is a
/// wait for that collective, which no call shows: it becomes an edge. Reductions of gradients have
/// no delays, since other buckets have none that were recorded.
///
/// Work was lost on its way to the file if the device idled although the next work was launched and
/// all that it waits for had ended, and a launch before it has no work. A kernel, kLostWork, takes
/// its place, at most as long as the longest work of the step.
///
/// `ends`: what the streams did before the first step.
void add_delays(std::vector<RecordedStep>& steps, StreamEnds ends);

/// Puts the tasks into the order of their recorded start, the host's first. Edges and all else
/// follow; returns the labels of tasks with an edge from a later task, which are left out.
std::vector<std::string> sort_by_start(RecordedStep& step);

}  // namespace stepcast
