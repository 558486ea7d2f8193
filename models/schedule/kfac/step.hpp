#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "models/schedule/builder.hpp"
#include "models/schedule/kfac/factor.hpp"
#include "models/schedule/kfac/held.hpp"
#include "models/schedule/kfac/parts.hpp"
#include "models/schedule/kfac/placement.hpp"

namespace stepcast::kfac {

inline constexpr Bytes kScalar{4};  ///< A metric, or a barrier.

/// A training step with K-FAC, written with the verbs that its systems share. Verbs of a part that
/// is switched off add nothing. Collectives of all ranks go through one Horovod thread, which
/// negotiates every tensor (gradients from the begin of the backward pass on, if the host runs
/// ahead of the GPU, and then in buffers filled up to the fusion threshold); those of other groups
/// through communicators of their own, first in, first out. "Waiting" for communication happens on
/// all ranks at a point of the program. Factors and inverses are packed before and unpacked after
/// they travel, on the compute stream, which nothing hides. As in the published training script,
/// the loss and the accuracy are averaged over all ranks, each waited for, between the passes.
///
/// Layers with Kronecker factors are numbered 0 .. layers() - 1 in forward order; their factors are
/// 2 l (A) and 2 l + 1 (G).
class Step {
 public:
  /// Throws InputError if no layer has factors or the device's K-FAC costs are unknown.
  Step(const std::string& schedule, const Workload& workload, const Cluster& cluster,
       const OptionReader& read);

  const Parts& parts() const { return parts_; }
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

  /// Forward and backward, with the gradients' all-reduces. `hook(factor)` is called where the A of
  /// a layer (before its forward) or the G (after its backward) is constructed in the pass.
  void passes(const std::function<void(std::size_t factor)>& hook);
  void passes() {
    passes([](std::size_t) {});
  }

  /// On all ranks, or on one.
  TaskId construct(std::size_t factor, Rank owner = kEveryRank);
  /// Packs factors and all-reduces them together. Horovod may fuse what is `fusable` with others.
  void all_reduce_factors(std::span<const std::size_t> factors, bool fusable = true);
  /// Sums packed factors on `owner`, which waits for them before its next inversion.
  void reduce_factors(std::span<const std::size_t> factors, Rank owner);
  void wait_for_gradients();
  void wait_for_factors();

  void invert(std::size_t factor, Rank owner = kEveryRank);
  /// Packs inverses, on all ranks, as the published code does, or on the owner alone where a
  /// group of fewer ranks receives, and sends them from `owner` to the ranks of `group` (all: 0).
  void broadcast_inverses(std::span<const std::size_t> factors, Rank owner, TeamId group = 0);
  /// Packs all inverses, then sends each from its owner to all.
  void broadcast_inverses_in_bulk(std::span<const Rank> owners);
  void wait_for_inverses();

  void precondition(std::uint32_t layer, TeamId group = 0);
  /// Sends the preconditioned gradient of a layer; the update waits for it.
  void broadcast_gradient(std::uint32_t layer, Rank owner, TeamId group = 0);
  /// KL clip and update of all ranks, after all communication.
  Plan finish() &&;

  TeamId group_of(const std::vector<Rank>& ranks);

 private:
  /// An inverse on its way, and what unpacking it takes on the ranks of the group.
  struct Sent {
    TaskId task = kNone;
    Seconds unpacking{};
    TeamId group = 0;
  };

  void average_metrics();
  void barrier();
  TaskId pack(std::span<const std::size_t> factors, TeamId group);
  void send_inverses(std::span<const std::size_t> factors, Rank owner, TeamId group, TaskId packed);
  void unpack_factors(std::size_t first);
  void all_reduce_gradients(std::span<const TaskId> backward);
  void all_reduce_when_ready(std::span<const TaskId> backward);
  TaskId wait(const char* label, std::vector<TaskId>& pending);
  TeamId owner_group(Rank owner);
  std::uint32_t index_in(TeamId group, Rank rank) const;
  std::string name_of(std::span<const std::size_t> factors) const;
  Bytes size_of(std::span<const std::size_t> factors) const;
  CommunicationOptions all_reduce_options() const;
  CommunicationOptions broadcast_options(Rank owner, TeamId group);

  Builder builder_;
  const KfacCosts& costs_;
  Parts parts_;
  StreamId horovod_ = 0;
  StreamId group_stream_ = 0;  // made when first needed
  Algorithm algorithm_ = Algorithm::Ring;
  Algorithm broadcast_algorithm_ = Algorithm::DoubleBinaryTree;
  Negotiated rule_;
  bool run_ahead_ = true;
  std::uint32_t metrics_ = 0;
  std::vector<Factor> factors_;
  Holdings kept_factors_;
  Holdings kept_inverses_;
  Construction construction_ = Construction::None;
  bool backward_begun_ = false;
  std::vector<TaskId> preconditioned_;        // by layer
  std::vector<TaskId> gradients_;             // all-reduces that nobody has waited for
  std::vector<TaskId> factors_in_flight_[2];  // A, G
  std::vector<Sent> inverses_in_flight_;
  std::vector<TaskId> results_in_flight_;  // preconditioned gradients
  struct Reduced {
    std::vector<TaskId> tasks;
    Seconds unpacking{};
  };
  std::map<Rank, Reduced> reduced_;  // by owner, not yet waited for
  bool barrier_due_ = false;
  TaskId backward_begin_ = kNone;     // what the backward pass waits for
  TaskId latest_everywhere_ = kNone;  // the last compute task of all ranks
  std::map<std::vector<Rank>, TeamId> groups_;
  std::vector<std::vector<Rank>> members_{{}};  // by group; empty: all
};

}  // namespace stepcast::kfac
