#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/network/cluster.hpp"
#include "models/workload/workload.hpp"
#include "sim/engine/engine.hpp"
#include "sim/forecast/likely_range.hpp"

namespace stepcast {

/// The sizes at which the first buckets of gradients close.
struct BucketLimits {
  Bytes size{26214400};  ///< 25 MiB.
  Bytes first{1048576};  ///< Of the first bucket.
};

enum class EditKind : std::uint8_t { Fuse, Split, Move, Resize, Regroup, Recipe, Asked };

const char* name_of(EditKind kind);

/// An edit that made the step faster, or that was asked for.
struct AcceptedEdit {
  EditKind kind = EditKind::Fuse;
  std::string text;  ///< "fuse buckets 3 and 4 (12.5 MiB, 25 MiB)"
  Seconds gain{};
  Seconds step{};          ///< With this edit and those before it.
  std::uint32_t gpus = 0;  ///< Of the step from here on, which gains nothing; 0: as many as before.
};

struct BucketInPlan {
  Bytes size{};
  std::uint32_t gradients = 0;
  std::string first;  ///< The name of its first gradient.
};

struct Optimisation {
  std::string workload;
  std::string cluster;
  std::uint32_t gpus = 1;
  Fidelity fidelity = Fidelity::Flow;
  Seconds step_before{};
  Seconds step_after{};
  LikelyStep likely_before{};  ///< Where they are likely to lie, as a step of DDP.
  LikelyStep likely_after{};
  std::vector<AcceptedEdit> accepted;
  std::vector<BucketInPlan> buckets;  ///< In the end, in the order of their all-reduces.
  std::size_t tried = 0;              ///< Edits that were estimated.
  std::size_t simulated = 0;
  std::string bound_by;  ///< What bounds the step in the end, in a sentence.
};

/// Looks for the buckets of gradients with the shortest data-parallel step: their all-reduces run
/// in order on one stream beside the backward pass, and the update waits for all.
///
/// In rounds every edit (fuse two neighbours, split a bucket, move gradients to a neighbour, close
/// all buckets at another size) is estimated by BucketRecursion; fusing only where it can pay:
/// q_end[n-1] > p_end[n] + t(m[n-1] + m[n]) - t(m[n]) (dPRO's theorem): where the fused all-reduce
/// ends earlier than the second of the two. The eight best are simulated, the best first, until one
/// makes the step shorter, which is accepted. Ends when none does.
/// A round costs some two recursions for each gradient, of a microsecond for each bucket, and one
/// to eight simulations.
///
/// Throws InputError for a workload without gradients.
Optimisation optimise_buckets(const Workload& workload, const Cluster& cluster,
                              const EngineOptions& engine, const BucketLimits& start = {});

}  // namespace stepcast
