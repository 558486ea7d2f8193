#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "models/schedule/builder.hpp"
#include "models/schedule/kfac/factor.hpp"
#include "models/schedule/kfac/held.hpp"
#include "models/schedule/kfac/in_flight.hpp"
#include "models/schedule/kfac/parts.hpp"
#include "models/schedule/kfac/placement.hpp"

namespace stepcast::kfac {

inline constexpr Bytes kScalar{4};  ///< A metric, or a barrier.

/// A training step with K-FAC, written with the verbs that its systems share. Verbs of a part that
/// is switched off add nothing. Collectives of all ranks go through one Horovod thread, which
/// negotiates every tensor (gradients from the begin of the backward pass on, if the host runs
/// ahead of the GPU); those of other groups through communicators of their own, first in, first
/// out. Nothing is waited for but where a schedule says wait(); then all ranks wait at that point
/// of the program. Factors and inverses are packed before and unpacked after they travel, on the
/// compute stream, which nothing hides. As in the published training script, the loss and the
/// accuracy are averaged over all ranks, each waited for, between the passes.
///
/// Layers with Kronecker factors are numbered 0 .. layers() - 1 in forward order; their factors are
/// 2 l (A) and 2 l + 1 (G).
class Step {
 public:
  /// Throws InputError if no layer has factors or the device's K-FAC costs are unknown.
  Step(const Workload& workload, const Cluster& cluster, const OptionReader& read);

  std::span<const Factor> factors() const { return factors_; }
  std::uint32_t layers() const { return static_cast<std::uint32_t>(factors_.size() / 2); }
  std::uint32_t ranks() const { return builder_.cluster().ranks(); }
  /// Reductions to one rank go through a communicator of their own, not through Horovod, which has
  /// none. Comes first, so that all steps of a period have the same streams.
  void reduce_without_horovod();

  /// Size of Horovod's fusion buffer.
  Bytes fusion_buffer() const { return rule_.fusion; }
  /// Forward (A) or backward (G) time from the factor before it in hook order to this one,
  /// its own construction and packing included.
  Seconds time_before(std::size_t factor) const;

  /// Forward and backward; the result: the gradients' all-reduces. `hook(factor)` is called where
  /// the A of a layer (before its forward) or the G (after its backward) is constructed.
  Pending passes(const std::function<void(std::size_t factor)>& hook = [](std::size_t) {});
  void wait(Pending& pending) { builder_.wait(pending); }

  /// On all ranks, or on one.
  void construct(std::size_t factor, Rank owner = kEveryRank);
  /// Packs factors and all-reduces them together. Horovod may fuse what is `fusable` with others.
  void all_reduce_factors(FactorsInFlight& in_flight, std::span<const std::size_t> factors,
                          bool fusable = true);
  /// All A are unpacked before G is waited for.
  void wait(FactorsInFlight& in_flight);
  /// Sums packed factors on `owner`.
  void reduce_factors(ReducedFactors& reduced, std::span<const std::size_t> factors, Rank owner);
  /// `owner` waits for its factors and unpacks them, if it is to invert them.
  void receive(ReducedFactors& reduced, Rank owner);
  /// All wait for what no owner has received.
  void wait(ReducedFactors& reduced);

  void invert(std::size_t factor, Rank owner = kEveryRank);
  /// Packs inverses, on all ranks, as the published code does, or on the owner alone where a
  /// group of fewer ranks receives, and sends them from `owner` to the ranks of `group` (all: 0).
  void broadcast_inverses(InversesInFlight& in_flight, std::span<const std::size_t> factors,
                          Rank owner, TeamId group = 0);
  /// Packs all inverses, then sends each from its owner to all.
  void broadcast_inverses_in_bulk(InversesInFlight& in_flight, std::span<const Rank> owners);
  /// One is unpacked while the next is on its way. Where the protocol of the authors leaves out
  /// only their communication, all ranks wait for the slowest instead.
  void wait(InversesInFlight& in_flight);

  /// The task, kNone where the part is switched off.
  TaskId precondition(std::uint32_t layer, TeamId group = 0);
  /// Sends the gradient of a layer that task `preconditioned` makes.
  void broadcast_gradient(ResultsInFlight& in_flight, std::uint32_t layer, TaskId preconditioned,
                          Rank owner, TeamId group = 0);
  void wait(ResultsInFlight& in_flight) { wait(in_flight.pending); }

  /// KL clip and update of all ranks.
  Plan finish() &&;

  TeamId group_of(const std::vector<Rank>& ranks);

  /// All of the groups at once, between which a broadcast differs in nothing but its ranks: the
  /// owner that it names is that of the first.
  TeamId team_of_rows(std::vector<Group> rows);

 private:
  TaskId average_metrics(TaskId forward_end);
  void barrier();
  TaskId pack(std::span<const std::size_t> factors, TeamId group);
  void send_inverses(InversesInFlight& in_flight, std::span<const std::size_t> factors, Rank owner,
                     TeamId group, TaskId packed);
  Pending all_reduce_gradients(std::span<const TaskId> backward, TaskId backward_begin);
  std::vector<TaskId> and_all_before(TaskId task) const;
  TeamId owner_group(Rank owner);
  std::uint32_t index_in(TeamId group, Rank rank) const;
  std::string name_of(std::span<const std::size_t> factors) const;
  Bytes size_of(std::span<const std::size_t> factors) const;
  CommunicationOptions all_reduce_options(const char* phase, bool fusable = true) const;
  CommunicationOptions broadcast_options(const char* phase, Rank owner, TeamId group);

  Builder builder_;
  const KfacCosts& costs_;
  Parts parts_;
  StreamId horovod_ = 0;
  StreamId group_stream_ = 0;  // made when first needed
  Algorithm algorithm_ = Algorithm::Ring;
  Algorithm broadcast_algorithm_ = Algorithm::Chain;
  Negotiated rule_;
  bool run_ahead_ = true;
  std::uint32_t metrics_ = 0;
  std::vector<Factor> factors_;
  std::map<std::vector<Rank>, TeamId> groups_;
  std::vector<std::vector<Rank>> members_{{}};  // by group; empty: all
  // What memory holds in the end.
  Holdings kept_factors_;
  Holdings kept_inverses_;
  Construction construction_ = Construction::None;
  bool has_passed_ = false;
};

}  // namespace stepcast::kfac
