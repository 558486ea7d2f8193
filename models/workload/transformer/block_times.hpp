#pragma once
// What the passes of a transformer's parts take on one GPU of a layout, and what they move and
// keep.

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "models/device/training_law.hpp"
#include "models/workload/transformer/transformer.hpp"

namespace stepcast {

/// Bytes that are moved to add a parameter's gradient of a micro-batch to that of the step, about:
/// the default of `accumulation_bytes`.
inline constexpr double kAccumulationTraffic = 10;

/// The part of a model's blocks that a rank computes.
struct TransformerShard {
  std::uint32_t micro_batch = 1;  ///< Sequences.
  std::uint32_t tensor = 1;
  std::uint32_t context = 1;
  std::uint32_t expert = 1;
  std::optional<std::uint32_t> expert_tensor{};  ///< Ranks that share an expert; none: tensor.
  bool sequence_parallel = false;  ///< Norms and dropout are shared over `tensor` too.
  double expert_imbalance = 1;     ///< Load of the fullest expert over the mean.
  /// Tokens that every expert computes, over the mean: more are dropped, less padded. 0: no limit.
  double capacity_factor = 0;
  double accumulation_bytes =
      kAccumulationTraffic;        ///< Moved for each parameter to add up its gradient.
  double elementwise_traffic = 1;  ///< Of norms, activations, sums over that of fused kernels.
  double attention_rate = 1;       ///< Of flash attention, over that of the device's law.
  bool pad_vocabulary = true;      ///< To a multiple of 128 a rank.

  double ranks_of_an_expert() const { return expert_tensor.value_or(tensor); }
  /// Of the expert that decides, over the mean.
  double expert_load() const { return capacity_factor > 0 ? capacity_factor : expert_imbalance; }
};

/// Compute of one micro-batch on one rank, by pass.
struct PassTimes {
  Seconds forward{};
  Seconds input_gradient{};
  Seconds weight_gradient{};
  Seconds scores{};  ///< The part of `forward` that selective recomputation repeats,
  Seconds last{};    ///< and that of a block's last product, whose output nobody keeps.

  PassTimes& operator+=(const PassTimes& other) {
    forward += other.forward;
    input_gradient += other.input_gradient;
    weight_gradient += other.weight_gradient;
    scores += other.scores;
    last += other.last;
    return *this;
  }
};

/// Bytes of an activation of the layer's whole width on one rank, without sequence parallelism.
Bytes activation_size(const Transformer& shape, const TransformerShard& shard);

/// Parameters of a rank: of block `layer`, of the embedding, of the head with its matrix.
struct RankParameters {
  double dense = 0;
  double expert = 0;  ///< Copied less often: on ranks of the same experts.
};
RankParameters block_parameters(const Transformer& shape, const TransformerShard& shard,
                                std::uint32_t layer);
double embedding_parameters(const Transformer& shape, const TransformerShard& shard);
double head_parameters(const Transformer& shape, const TransformerShard& shard);
/// Of the matrix that a tied head shares with the embedding.
double vocabulary_parameters(const Transformer& shape, const TransformerShard& shard);

/// Products by shape, the rest by its traffic; without communication. The backward pass of a
/// product is two products, that of an operator bound by memory moves what autograd reads and
/// writes.
PassTimes block_times(const Transformer& shape, const TrainingLaw& law,
                      const TransformerShard& shard, std::uint32_t layer);
PassTimes embedding_times(const Transformer& shape, const TrainingLaw& law,
                          const TransformerShard& shard);
/// With the last norm and the loss.
PassTimes head_times(const Transformer& shape, const TrainingLaw& law,
                     const TransformerShard& shard);

/// What a block keeps of a micro-batch for its backward pass (Korthikanti et al., 2022, equations 1
/// to 4): everything, all but the scores, or its input alone.
enum class Recompute : std::uint8_t { None, Selective, Full };
inline constexpr std::array kRecomputeWords{"none", "selective", "full"};  ///< In that order.
/// "none", "selective", "full".
inline const char* name_of(Recompute recompute) {
  return kRecomputeWords.at(static_cast<std::size_t>(recompute));
}
/// None for another word.
std::optional<Recompute> find_recompute(std::string_view word);

Bytes held_by_block(const Transformer& shape, const TransformerShard& shard, Recompute recompute);
Bytes held_by_head(const Transformer& shape, const TransformerShard& shard);

}  // namespace stepcast
