#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "models/network/cluster.hpp"
#include "models/schedule/plan.hpp"

namespace stepcast {

/// The links that stand for all links of a cluster: those of its first `nodes` nodes (one, all of a
/// rack, or all) and of the first `gpus` GPUs of these (one or all). What lies beside carries what
/// its counterpart here does, at every time.
struct NetworkSection {
  std::uint32_t nodes = 0;
  std::uint32_t gpus = 0;
};

/// The smallest section for all collectives of a plan; none where nothing smaller than the cluster
/// will do, or where a team has several groups. `kinds`: of ranks, whose ports change together;
/// empty: no port changes.
std::optional<NetworkSection> find_section(const Plan& plan, const Cluster& cluster,
                                           std::span<const std::uint32_t> kinds);

}  // namespace stepcast
