#pragma once

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "models/schedule/builder.hpp"
#include "models/schedule/model_parallel/hybrid_job.hpp"

namespace stepcast {

/// Ranks of a stage that hold the same parameters, and those of them that share them.
struct StageCopies {
  std::uint32_t count = 1;    ///< Of the copies; 1: nobody else holds them.
  std::uint32_t sharers = 1;  ///< Of what `zero` says.
  TeamId all = 0;
  TeamId shard = 0;     ///< Of the sharers: `all` where all copies are.
  TeamId replicas = 0;  ///< Of those that hold the same share; with FSDP's hybrid sharding.
};

/// Where the ranks of a job's stages meet: teams by stage, and the streams of what they share.
class StageTeams {
 public:
  StageTeams(const HybridJob& job, Builder& builder);

  /// Each rank of a stage with its counterpart of another.
  TeamId between(std::uint32_t from, std::uint32_t to);

  /// Of a stage's messages forward, or back, from one of its chunks. Neighbours on the ring of
  /// stages never send on the same, so that nobody's messages wait for those it has yet to receive.
  StreamId messages(bool forward, std::uint32_t chunk, std::uint32_t sender);

  StreamId gradients = 0;
  StreamId parameters = 0;
  std::vector<TeamId> tensor;
  std::vector<StageCopies> dense, experts;  ///< By stage.

 private:
  StageCopies copies(const Team& all, std::uint32_t count, std::uint32_t sharers);

  const HybridJob& job_;
  Builder& builder_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, TeamId> pairs_;
  std::map<std::tuple<bool, std::uint32_t, std::uint32_t>, StreamId> messages_;
};

/// A unit whose first pass waits for its parameters.
struct AwaitedUnit {
  std::uint32_t stage = 0;
  std::size_t unit = 0;
  TaskId waits = 0;  ///< In the next step.
};

/// What becomes of the stages' gradients: copies add them up behind the passes that complete them,
/// then the norm, the updates, and the parameters that go back before the next step.
class StageGradients {
 public:
  /// `element` is the size of a parameter, `moves` the rate of the optimiser's kernels (0: free).
  StageGradients(const HybridJob& job, Builder& builder, StageTeams& teams, Bytes element,
                 BytesPerSecond moves);

  /// The copies of a stage add up gradients of so many parameters when `after` is done: tasks that
  /// end when they have.
  std::vector<TaskId> add_sum(std::uint32_t stage, const RankParameters& parameters,
                              const std::string& of, TaskId after);
  /// Of what more than one stage holds. `last` is the last task of each stage's passes.
  void add_sums_of_stages(const std::vector<TaskId>& last);
  /// Adds the sum of the matrix that embedding and head share. Returns kNone where one stage holds
  /// both.
  TaskId add_sum_of_tied(const std::vector<TaskId>& last);
  /// The tasks of the next step that wait for a stage's update are the gathers of its first
  /// parameters (ZeRO 3: stage and task), those that wait for their units, else its first task.
  void add_updates(const std::vector<TaskId>& first, const std::vector<TaskId>& last,
                   const std::vector<std::pair<std::uint32_t, TaskId>>& first_gathers,
                   const std::vector<AwaitedUnit>& awaited);

 private:
  void add_sum_over(std::uint32_t stage, const StageCopies& copies, double parameters,
                    const std::string& of, TaskId after);
  void add_sums_of_both(const std::vector<TaskId>& last);
  TaskId add_norm(const std::vector<TaskId>& last);
  TaskId add_update(std::uint32_t stage, const std::vector<TaskId>& after);
  RankParameters leaving(const ModelUnit& unit) const {
    return {leaving_parameters(job_, unit), unit.expert_parameters};
  }
  void gather_updated(std::uint32_t stage, const RankParameters& held, TaskId update, TaskId first);
  void gather_unit(const AwaitedUnit& awaited, TaskId update);

  const HybridJob& job_;
  Builder& builder_;
  StageTeams& teams_;
  Bytes element_;
  BytesPerSecond moves_;
  std::vector<std::vector<TaskId>> sums_;  // by stage
};

}  // namespace stepcast
