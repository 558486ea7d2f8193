#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/base/note.hpp"
#include "models/network/cluster.hpp"
#include "models/network/team.hpp"
#include "models/schedule/options.hpp"
#include "models/workload/transformer/transformer_workload.hpp"

namespace stepcast {

/// How many ways a job is cut. Ranks count tensor fastest, then context, then data, pipeline
/// slowest. The ranks of a stage in that order are also cut into those that share an expert, expert
/// groups and copies of them (Megatron-Core's expert_tensor_parallel_size).
struct ParallelLayout {
  std::uint32_t tensor = 1;
  std::uint32_t context = 1;
  std::uint32_t expert = 1;                      ///< Inside a stage: takes no GPUs of its own.
  std::optional<std::uint32_t> expert_tensor{};  ///< Ranks that share an expert; none: tensor.
  std::uint32_t data = 1;
  std::uint32_t pipeline = 1;

  std::uint32_t stage_ranks() const { return tensor * context * data; }
  std::uint32_t ranks() const { return stage_ranks() * pipeline; }
  std::uint32_t ranks_of_an_expert() const { return expert_tensor.value_or(tensor); }
  /// Ranks of a stage that hold the same part of the same experts.
  std::uint32_t expert_copies() const { return stage_ranks() / ranks_of_an_expert() / expert; }
  Rank rank(std::uint32_t stage, std::uint32_t replica, std::uint32_t of_context,
            std::uint32_t of_tensor) const {
    return of_tensor + tensor * (of_context + context * (replica + data * stage));
  }
  std::uint32_t stage_of(Rank rank) const { return rank / stage_ranks(); }
};

/// "tp=8,pp=4,dp=2"; context and expert parallelism where there is any.
std::string describe(const ParallelLayout& layout);

/// The options tp, pp, cp, ep, etp with the data parallelism that follows from the cluster, which
/// dp may say again. Throws InputError where they do not divide its GPUs, the heads, the experts or
/// the sequence.
ParallelLayout layout_of(const OptionReader& read, const Workload& model, const Cluster& cluster);

/// Ranks of a stage that share layers, that share activations of a sequence, that hold copies of
/// dense parameters, and that hold copies of experts.
Team tensor_team(const ParallelLayout& layout, std::uint32_t stage);
Team context_team(const ParallelLayout& layout, std::uint32_t stage);
Team expert_team(const ParallelLayout& layout, std::uint32_t stage);
Team copies_team(const ParallelLayout& layout, std::uint32_t stage);
/// Groups of two teams, each with its counterpart.
Team together(Team one, const Team& other);
Team expert_copies_team(const ParallelLayout& layout, std::uint32_t stage);
/// Neighbours among copies, `size` of them.
Team shard_team(const Team& copies, std::uint32_t size);
/// Of those, ranks that hold the same share.
Team replica_team(const Team& copies, std::uint32_t size);
/// Pairs of each rank of a stage and its counterpart in another.
Team stage_pairs(const ParallelLayout& layout, std::uint32_t from, std::uint32_t to);

/// Sentences on what is legal but slow: a tensor group across nodes.
Notes layout_notes(const ParallelLayout& layout, const Cluster& cluster);

}  // namespace stepcast
