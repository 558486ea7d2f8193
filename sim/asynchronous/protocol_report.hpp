#pragma once

#include <cstdint>
#include <vector>

#include "models/base/fields.hpp"
#include "models/base/units.hpp"
#include "sim/timeline/breakdown.hpp"

namespace stepcast {

/// What a protocol without global steps did, over all workers, iterations and seeds.
struct ProtocolReport {
  double iterations_per_s = 0;          ///< Of all workers; 0: not such a protocol.
  double slowest_iterations_per_s = 0;  ///< Of the slowest worker.
  std::vector<NamedTime> waiting{};     ///< Of a worker in an iteration, by cause.
  std::vector<double> gaps{};  ///< Share of iterations begun 0, 1, ... ahead of the slowest worker.
  std::vector<double>
      staleness{};            ///< Share of what was averaged that was 0, 1, ... iterations old.
  Bytes sent_per_nic{};       ///< By a node to others, per iteration of a worker.
  std::uint32_t dropped = 0;  ///< Gradients of all workers in a step that nobody uses.
  /// Of a training whose rules change in it, in stages: all iterations, and how often all average
  /// in them; else 0.
  std::uint64_t training_iterations = 0;
  std::uint64_t rounds = 0;
};

auto fields_of(Is<ProtocolReport> auto& report) {
  auto& [all, slowest, waiting, gaps, staleness, sent, dropped, iterations, rounds] = report;
  return std::tie(all, slowest, waiting, gaps, staleness, sent, dropped, iterations, rounds);
}

}  // namespace stepcast
