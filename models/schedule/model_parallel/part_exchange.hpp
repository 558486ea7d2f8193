#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "models/schedule/builder.hpp"
#include "models/schedule/model_parallel/hybrid_job.hpp"
#include "models/schedule/model_parallel/stage_gradients.hpp"

namespace stepcast {

/// The ranks that run the tasks of a part's exchange in the plan of a pipeline.
struct PartReplicas {
  Team copies;          ///< Ranks that hold the same parameters of the part.
  TeamId all = 0;       ///< The same team in the plan.
  TeamId computes = 0;  ///< All ranks of the stage: they compute by themselves.
};

/// The streams of the plan that exchanges communicate on, by name: all parts of a rank share them.
using ExchangeStreams = std::map<std::string, StreamId>;

/// The gradient exchange of a data-parallel schedule among the replicas of one part of a model.
///
/// The schedule plans the part as if it were the whole model and its replicas the whole cluster.
/// This class writes the tasks of that plan into the plan of the pipeline: the schedule's forward
/// pass is the part's first forward pass of a step, its backward pass is the last pass that makes
/// gradients of the part, and all other tasks keep their order and dependencies. With one stage the
/// result is the schedule's own plan. The cost is linear in the tasks of the exchange.
class PartExchange {
 public:
  /// Throws InputError where the schedule does not plan one forward and one backward pass of all
  /// layers for a training step, or lets ranks serve that do not train.
  PartExchange(Plan plan, PartReplicas replicas, Builder& builder, ExchangeStreams& streams);

  /// Writes the tasks in front of the next layer's pass.
  void write_until_pass();
  /// The tasks from `first` to `last` of the pipeline are the next layer's pass.
  void pass(TaskId first, TaskId last);
  /// Writes the communication that is issued directly after the backward pass.
  void write_last_communication();
  /// Writes the rest, such as the update, which the rank computes after all of its passes.
  void write_rest();
  /// Adds the dependencies. All tasks have to be written.
  void add_dependencies();
  /// Adds the sum of gradients of a layer that another part holds a copy of. It waits until the
  /// exchange has reduced gradients; the update of this step and the layer's next pass wait for it.
  void add_shared_sum(TaskId sum, LayerId layer);

  /// What a rank holds of the part: parameters, gradients, optimiser state and buffers.
  const MemoryUse& memory() const { return plan_.memory; }

 private:
  struct Written {
    TaskId first = kNone, last = kNone;
  };

  void write();
  TeamId team_of(const Task& task);

  Plan plan_;
  PartReplicas replicas_;
  Builder& builder_;
  std::vector<StreamId> streams_;
  std::vector<TeamId> teams_;  // by team of the exchange's plan; kNone: not yet in the pipeline's
  std::vector<Written> written_;  // by task of the exchange's plan
  TaskId next_ = 0;
  TaskId passes_end_ = 0;  // after the last backward task
};

/// The exchanges of all parts of a job, each planned as a model of its own by HybridJob::exchange.
class PartExchanges {
 public:
  /// Throws InputError, which names the option `exchange` of `passes`.
  PartExchanges(const HybridJob& job, const Workload& model, const Cluster& cluster,
                const OptionReader& passes, const StageTeams& teams, Builder& builder);

  PartExchange& of(std::uint32_t part) { return exchanges_[part]; }
  /// Adds all dependencies, and those of the sum over first and last part of the matrix that
  /// embedding and head share; kNone: they share none.
  void finish(TaskId shared_sum);
  /// What a rank holds of each part.
  std::vector<MemoryUse> memory() const;

 private:
  LayerId head_ = 0;  // the last layer of the last part
  ExchangeStreams streams_;
  std::vector<PartExchange> exchanges_;
};

}  // namespace stepcast
