#pragma once
// Passes of a transformer's parts as they were measured on a GPU, in place of what its device's law
// says.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/provenance.hpp"
#include "models/workload/transformer/block_times.hpp"

namespace stepcast {

enum class ModelPart : std::uint8_t {
  Embedding,
  Block,
  ExpertBlock,  ///< A block whose MLP is one of experts.
  Head,         ///< With the last norm and the loss.
};

/// "embedding", "block", "expert-block", "head".
std::string_view name_of(ModelPart part);

/// Of block `layer`: the first ones may be without experts.
ModelPart block_part(const Transformer& shape, std::uint32_t layer);

/// What a part took on one rank, and how it was run.
struct MeasuredPart {
  ModelPart part = ModelPart::Block;
  std::uint32_t micro_batch = 1;  ///< Sequences
  std::uint32_t seq = 1;          ///< of so many tokens.
  std::uint32_t tensor = 1;
  std::uint32_t context = 1;
  std::uint32_t expert = 1;
  bool sequence_parallel = false;
  Recompute recompute = Recompute::None;  ///< What the backward pass repeats of the forward one.
  bool with_messages = false;  ///< The times hold what the rank waits for inside the part, too.
  Seconds forward{};
  Seconds backward{};  ///< With recomputation, and with adding up the gradients of weights.
  std::optional<Seconds> weight_gradient;  ///< The part of `backward` that no other rank waits for.
};

/// What a file of measured parts holds.
struct MeasuredParts {
  std::string device;
  std::map<std::string, std::string> shape;  ///< Keys of the in-line form: of which models.
  Provenance provenance;
  std::vector<MeasuredPart> rows;
};

/// The row that stands for a part of a layout: of those whose times may be scaled to it the
/// nearest, by tensor, context and expert parallelism, then sequence parallelism, recomputation,
/// tokens and sequence; of equals the first. A row with messages stands for its own tensor, context
/// and expert parallelism alone: what the messages of another take does not follow from it. None
/// where no row may. Linear in the rows.
const MeasuredPart* nearest_row(const MeasuredParts& measured, ModelPart part,
                                const TransformerShard& shard, std::uint32_t seq,
                                Recompute recompute);

/// The same. Throws InputError where the part was measured, but no row may stand for it: it says
/// which there are.
const MeasuredPart* required_row(const MeasuredParts& measured, ModelPart part,
                                 const TransformerShard& shard, std::uint32_t seq,
                                 Recompute recompute);

/// Whether the measured part was run just so: nothing is scaled.
bool is_as_measured(const MeasuredPart& row, const TransformerShard& shard, std::uint32_t seq,
                    Recompute recompute);

/// "tp 4, micro-batch 2 of 2048 tokens, recompute full": how a row was run.
std::string describe(const MeasuredPart& row);

/// The shard as it was when the row was measured.
TransformerShard shard_of(const MeasuredPart& row, TransformerShard shard);

/// A pass of what is wanted = what was measured x (the law of what is wanted / the law of what was
/// measured): as measured where both are the same, else the law scales it. A backward pass without
/// `weight_gradient` is divided as the law divides it.
PassTimes scaled(const MeasuredPart& row, const PassTimes& wanted, const PassTimes& of_row);

/// With what a backward pass repeats; PassTimes are without.
PassTimes with_recomputation(PassTimes times, Recompute recompute);

}  // namespace stepcast
