#pragma once

#include <string>
#include <vector>

#include "sim/jobs/edits/editable_step.hpp"

namespace stepcast {

/// When what a node waits for by edges has ended, of a meeting for all its members: order of
/// streams does not count.
std::vector<Seconds> data_ready(const WorkGraph& graph, const std::vector<Interval>& times);

/// The nodes of the critical path, last first: from the node that ends last always to what ended
/// last of all that it, or who it met, waited for.
std::vector<std::uint32_t> critical_nodes(const WorkGraph& graph,
                                          const std::vector<Interval>& times);

/// "Of the critical path 61 % is backward, 20 % all-reduce, .." Of a planned step the path is
/// followed until a stream that was busy with the step before.
std::string path_in_words(const WorkGraph& graph, const TimedStep& timed);

}  // namespace stepcast
