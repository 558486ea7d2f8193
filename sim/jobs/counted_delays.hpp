#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "sim/jobs/job_replay.hpp"

// Delays say how late operations were as recorded. Some of that was only the lateness of others, or
// of what the own rank computed: it would stay as it was in replays in which these are faster.

namespace stepcast {

/// Whether it receives a message and began when that was sent, as far as clocks tell, or before:
/// nobody waits for its rank's host, which may have asked for it late.
bool begins_with_message(const JobReplay& replay, std::size_t step, std::uint32_t place);

/// JobReplay::delays() of a step, but those that nobody waited for are 0: in a meeting others wait
/// for who begins last. What began earlier waited itself, and a receive that begins with its send
/// (as far as clocks tell) was recorded from when that came.
std::vector<double> delays_that_count(const JobReplay& replay, std::size_t step);

/// Messages (second) that were late because their rank's host, which asks for them in order with
/// what the rank computes, first had it compute something (first). Cuts their `delays`, of
/// delays_that_count(), to what they were later than that.
std::vector<std::pair<std::uint32_t, std::uint32_t>> asked_behind(const JobReplay& replay,
                                                                  std::size_t step,
                                                                  std::vector<double>& delays);

}  // namespace stepcast
