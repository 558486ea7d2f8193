#pragma once
// A model as a row of units that stages are made of, with what each takes on one rank of a layout.

#include <string>
#include <vector>

#include "models/network/cluster.hpp"
#include "models/schedule/model_parallel/message_codec.hpp"
#include "models/schedule/model_parallel/order_walk.hpp"
#include "models/schedule/model_parallel/parallel_layout.hpp"
#include "models/workload/transformer/block_times.hpp"
#include "models/workload/transformer/transformer_workload.hpp"

namespace stepcast {

/// How communication inside layers runs beside compute.
enum class TensorOverlap : std::uint8_t {
  None,
  Backward,  ///< That of input gradients beside the product of weight gradients.
  Pieces,    ///< Cut into as many pieces as ranks: all but one piece beside products (async TP).
};

/// What units are costed with.
struct UnitSettings {
  ParallelLayout layout;
  TransformerShard shard;
  Recompute recompute = Recompute::None;
  bool stops_early = false;  ///< Recomputation leaves out a block's last product.
  TensorOverlap overlap = TensorOverlap::None;
  MessageCodec codec{};           ///< Of activations and their gradients inside tensor groups.
  bool context_by_heads = false;  ///< Context parallelism by all-to-alls (Ulysses), not a ring.
  Seconds host_block{};           ///< Host time to launch a block's pass; 0: never the bound.
  double optimiser_bytes = kUpdateTraffic;  ///< Moved by the optimiser for each parameter.
};

/// An embedding, a block, a head; or a layer of another model.
struct ModelUnit {
  std::string name;
  PartTimes compute;       ///< Of a micro-batch on one rank.
  Seconds forward_wait{};  ///< Communication inside the unit that compute waits for.
  Seconds backward_wait{};
  Bytes sent{};                  ///< By a rank, inside the unit, in both passes.
  double parameters = 0;         ///< Of a rank, dense
  double expert_parameters = 0;  ///< and of its experts.
  Bytes held{};                  ///< Kept of a micro-batch until its backward pass.
  Bytes output{};                ///< To the next unit.
  bool is_block = false;
  RecordedPart recorded{};  ///< Of a recorded pipeline's part.
};

/// Embedding, blocks and head of a transformer; the layers of another workload, whose backward pass
/// is taken to be half input gradient. Parts that were measured take what they took. Throws
/// InputError for a device without a law, and a layout for which no measured row may stand.
std::vector<ModelUnit> model_units(const Workload& model, const Cluster& cluster,
                                   const UnitSettings& settings);

/// Sum of some units.
PartTimes times_of(const ModelUnit& unit);

}  // namespace stepcast
