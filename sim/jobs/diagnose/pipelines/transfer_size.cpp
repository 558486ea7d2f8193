// The time of a collective rises with its size, by straight pieces where its algorithm stays the
// same: the size is between two of which one takes too long, found by the secant through both, or
// half way where that gains little (a few simulations of one collective, 100 at most).
#include "sim/jobs/diagnose/pipelines/transfer_size.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "models/collective/collective.hpp"
#include "models/schedule/communicate.hpp"
#include "sim/engine/engine.hpp"

namespace stepcast {

Seconds transfer_time(CollectiveKind kind, const Team& team, Bytes size, const Cluster& cluster) {
  const Workload nothing{.name = "transfer", .layers = {{.name = "nothing"}}};
  Builder builder("transfer", nothing, cluster);
  const TeamId members = builder.team(team);
  builder.compute_on(members);
  const TaskId call = builder.forward(0);
  const TaskId moved = communicate(builder, kind, "transfer", size,
                                   {.stream = builder.stream("transfer"), .team = members});
  builder.after(moved, {call});
  builder.next_after(call, {moved});
  return simulate(std::move(builder).build(), cluster, {.fidelity = Fidelity::Flow}).iteration_time;
}

Bytes transfer_size(CollectiveKind kind, const Team& team, Seconds time, const Cluster& cluster) {
  constexpr double kMost = 1e15;
  constexpr double kClose = 1e-9;
  const auto excess = [&](double size) {
    return (transfer_time(kind, team, Bytes{size}, cluster) - time).value;
  };
  double low = 1;
  double below = excess(low);
  double high = std::max(2.0, time.value * cluster.nic.bandwidth.value);
  double above = excess(high);
  for (; above < 0 && high < kMost; above = excess(high))
    high *= 8;
  if (below > 0 || above < 0)
    throw InputError(fmt::format("a {} of {} takes {} on {}, found recorded {}", name_of(kind),
                                 below > 0 ? "one byte" : "a petabyte",
                                 format_seconds(Seconds{time.value + (below > 0 ? below : above)}),
                                 cluster.name, format_seconds(time)));
  for (int i = 0; i < 100 && high - low > kClose * high; ++i) {
    const double secant = low + (high - low) * (below / (below - above));
    const double next = i % 3 == 2 ? std::midpoint(low, high) : secant;
    const double at = excess(next);
    if (std::abs(at) <= kClose * time.value)
      return Bytes{next};
    (at < 0 ? low : high) = next;
    (at < 0 ? below : above) = at;
  }
  return Bytes{std::midpoint(low, high)};
}

}  // namespace stepcast
