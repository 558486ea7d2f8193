#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/base/provenance.hpp"
#include "models/base/units.hpp"
#include "models/network/collective_kind.hpp"

namespace stepcast {

/// What a fit found a measured point to be good for.
enum class PointUse : std::uint8_t {
  Kept,
  Outlier,    ///< Far off what the other rank counts say at the same chunk.
  Pipelined,  ///< Repetitions overlapped, so that it is a rate and not the time of one.
};

struct CurvePoint {
  Bytes size{};  ///< The full buffer, as nccl-tests counts it (see Collective).
  Seconds time{};
  PointUse use = PointUse::Kept;
};

/// Time of one collective on one set of ranks, over sizes.
struct CollectiveCurve {
  CollectiveKind kind = CollectiveKind::AllReduce;
  std::uint32_t ranks = 2;
  std::uint32_t nodes = 1;         ///< Divides `ranks`.
  std::vector<CurvePoint> points;  ///< Ascending in size; never empty.
};

/// What joins the GPUs of a node, as NCCL's tuner tells them apart.
enum class NodePath : std::uint8_t { NvLink, Pcie };

/// What the curves of one kind (inside one node, or between nodes of equally many ranks) have in
/// common. Derived from them by fit_curves().
struct CurveFit {
  CollectiveKind kind = CollectiveKind::AllReduce;
  std::uint32_t ranks_per_node = 1;  ///< 0: the curves of single nodes.
  Bytes tree_below{};                ///< Smaller sizes grow with log2(nodes), as a tree does:
  std::uint32_t tree_ranks = 0;      ///< on as many ranks, where NCCL's tuner tells of others.
  Seconds startup{};                 ///< Alpha of a ring step.
  BytesPerSecond bandwidth{};        ///< 1 / beta of a ring step.
  BytesPerSecond fastest{};          ///< Best bus bandwidth of a kept point: no estimate beats it.
};

/// What a benchmark measured on a cluster.
struct MeasuredCollectives {
  std::string name;
  std::vector<CollectiveCurve> curves;
  std::vector<CurveFit> fits;  ///< Empty until fit_curves().
  /// Measured with NCCL, whose tuner says where trees give way to rings on other rank counts; none:
  /// another library, or not known.
  std::optional<NodePath> nccl;
  Provenance provenance;
};

}  // namespace stepcast
