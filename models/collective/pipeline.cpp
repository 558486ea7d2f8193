#include "models/collective/pipeline.hpp"

#include <algorithm>
#include <cmath>

namespace stepcast {
namespace {

/// The stages first ... end - 1 move a chunk in a round.
struct Window {
  std::size_t first = 0;
  std::size_t end = 0;
  bool operator==(const Window&) const = default;
};

Round round_of(const std::vector<std::vector<Message>>& stages, Window window) {
  Round round;
  for (std::size_t stage = window.first; stage < window.end; ++stage)
    round.messages.insert(round.messages.end(), stages[stage].begin(), stages[stage].end());
  return round;
}

}  // namespace

std::uint32_t best_chunk_count(Seconds pipelined, Seconds startup, std::uint32_t most) {
  if (pipelined.value <= 0)
    return 1;
  if (startup.value * most * most <= pipelined.value)
    return most;
  const double lower = std::max(1.0, std::floor(std::sqrt(pipelined / startup)));
  const auto time = [&](double chunks) { return pipelined / chunks + startup * chunks; };
  const double best = time(lower + 1) < time(lower) ? lower + 1 : lower;
  return std::min(most, static_cast<std::uint32_t>(best));
}

std::vector<Round> pipelined_rounds(const std::vector<std::vector<Message>>& stages,
                                    std::uint32_t chunks) {
  std::vector<Round> rounds;
  Window last;
  for (std::size_t round = 0; round + 1 < stages.size() + chunks; ++round) {
    const Window window{round < chunks ? 0 : round + 1 - chunks,
                        std::min(stages.size(), round + 1)};
    if (window == last)
      ++rounds.back().repeat;
    else
      rounds.push_back(round_of(stages, window));
    last = window;
  }
  return rounds;
}

}  // namespace stepcast
