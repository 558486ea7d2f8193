#include "models/workload/transformer/block_times.hpp"

#include <algorithm>
#include <cmath>

#include "models/base/enum_name.hpp"

namespace stepcast {
namespace {

// Traffic of operators bound by memory, in bytes for each element of 16 bits: what their kernels
// read and write, dropout's masks with one byte.
struct Traffic {
  double forward = 0;
  double backward = 0;
};
constexpr Traffic kNorm{4, 10};       // backward: for the input, then for scale and shift
constexpr Traffic kDropoutAdd{7, 5};  // and bias
constexpr Traffic kAdd{6, 0};         // the gradient goes both ways unchanged
constexpr Traffic kGelu{4, 6};
constexpr Traffic kSwiGlu{6, 10};  // of one of the two halves
constexpr Traffic kRotary{4, 4};
constexpr Traffic kSoftmax{4, 6};
constexpr Traffic kScoreDropout{5, 5};
constexpr Traffic kFusedScores{5, 6};
constexpr Traffic kLookUp{9, 6};
// Logits: to fp32, maximum, exponential, sum, gradient and back. Derived from what lies outside the
// blocks of vTrain's runs at t = 2, where the vocabulary is aligned.
constexpr Traffic kLoss{18, 10};

class RankPart {
 public:
  RankPart(const Transformer& shape, const TrainingLaw& law, const TransformerShard& shard)
      : shape_(shape),
        law_(law),
        shard_(shard),
        tokens_(static_cast<double>(shard.micro_batch) * shape.seq / shard.context),
        wide_(element_size(shape).value / 2) {}

  const PassTimes& times() const { return times_; }
  double tokens() const { return tokens_; }
  /// Elements of an activation that sequence parallelism shares.
  double outer(double width) const {
    return tokens_ * width / (shard_.sequence_parallel ? shard_.tensor : 1);
  }

  /// Inputs are cast forward, gradients of the output backward, each once for two products. Weights
  /// are cast once a step, which is not counted.
  void product(double tokens, double k, double n) {
    times_.last = time_of({tokens, k, n});
    times_.forward += times_.last + cast(tokens * k);
    times_.input_gradient += time_of({tokens, n, k}) + cast(tokens * n);
    times_.weight_gradient += time_of({k, tokens, n});
  }
  /// The first of a model, into whose input no gradient goes.
  void first_product(double tokens, double k, double n) {
    times_.forward += time_of({tokens, k, n}) + cast(tokens * k);
    times_.weight_gradient += time_of({k, tokens, n}) + cast(tokens * n);
  }

  void pass(Traffic traffic, double elements) {
    const double bytes = elements * wide_ * shard_.elementwise_traffic;
    times_.forward += elementwise_time(law_, Bytes{bytes * traffic.forward});
    times_.input_gradient += elementwise_time(law_, Bytes{bytes * traffic.backward});
  }

  /// So many parts like another, one after the other.
  void add(const RankPart& other, double count) {
    times_.forward += other.times_.forward * count;
    times_.input_gradient += other.times_.input_gradient * count;
    times_.weight_gradient += other.times_.weight_gradient * count;
    times_.last = other.times_.last;
  }

  void loss(double logits) {
    times_.forward += elementwise_time(law_, Bytes{logits * kLoss.forward});
    times_.input_gradient += elementwise_time(law_, Bytes{logits * kLoss.backward});
  }

  void accumulate(double parameters) {
    times_.weight_gradient += elementwise_time(law_, Bytes{parameters * shard_.accumulation_bytes});
  }

  void attention() {
    if (shape_.attention == AttentionKind::Flash)
      return flash(shape_.seq, shape_.causal);
    const double heads = static_cast<double>(shape_.heads) / shard_.tensor;
    const double count = shard_.micro_batch * heads;
    const double queries = static_cast<double>(shape_.seq) / shard_.context;
    const double keys = shape_.seq;
    RankPart scores(shape_, law_, shard_);
    for (const ProductShape& each :
         {ProductShape{queries, 1.0 * shape_.score_size(), keys, count},
          ProductShape{queries, keys, 1.0 * shape_.head_size(), count}}) {
      scores.times_.forward += time_of(each);
      scores.times_.input_gradient +=
          time_of({each.m, each.n, each.k, count}) + time_of({each.k, each.m, each.n, count});
    }
    const double elements = count * queries * keys;
    if (shape_.attention == AttentionKind::Fused) {
      scores.pass(kFusedScores, elements);
    } else {
      scores.pass(kSoftmax, elements);
      if (!shape_.gated)
        scores.pass(kScoreDropout, elements);
    }
    scores.times_.scores = scores.times_.forward;
    scores.times_.last = {};
    times_ += scores.times_;
  }

  void flash(double keys, bool causal) {
    const double sequences = shard_.micro_batch;
    const double t = shard_.tensor;
    const AttentionShape attention{.heads = sequences * shape_.heads / t,
                                   .kv_heads = sequences * std::max(1.0, shape_.kv_heads / t),
                                   .queries = tokens_ / sequences,
                                   .keys = keys,
                                   .score_size = 1.0 * shape_.score_size(),
                                   .value_size = 1.0 * shape_.head_size(),
                                   .causal = causal};
    times_.forward += flash_forward_time(law_, attention, shard_.attention_rate);
    times_.input_gradient += flash_backward_time(law_, attention, shard_.attention_rate);
  }

 private:
  Seconds time_of(const ProductShape& product) const {
    return product_time(law_, shape_.precision, product);
  }
  Seconds cast(double elements) const { return cast_time(law_, shape_.precision, elements); }

  const Transformer& shape_;
  const TrainingLaw& law_;
  const TransformerShard& shard_;
  double tokens_;
  double wide_;  // 2 for fp32
  PassTimes times_;
};

// Down to latent numbers, which are normed, on every rank of a tensor group (of its own tokens with
// sequence parallelism), and up to a rank's heads (DeepSeek-V2, arXiv 2405.04434, section 2.1).
void add_latent_projections(RankPart& part, const Transformer& shape, double t) {
  const double h = shape.hidden;
  const double queries = 1.0 * shape.heads * shape.score_size() / t;
  const double own = part.outer(1);
  if (shape.q_rank > 0) {
    part.product(own, h, shape.q_rank);
    part.pass(kNorm, own * shape.q_rank);
  }
  part.product(part.tokens(), shape.q_rank > 0 ? shape.q_rank : h, queries);
  part.product(own, h, 1.0 * shape.kv_rank + shape.rope_dim);
  part.pass(kNorm, own * shape.kv_rank);
  part.product(part.tokens(), shape.kv_rank, 2.0 * shape.attention_size() / t);
  part.pass(kRotary, part.tokens() * shape.rope_dim * (shape.heads / t + 1));
}

void add_attention(RankPart& part, const Transformer& shape, const TransformerShard& shard) {
  const double h = shape.hidden;
  const double t = shard.tensor;
  const double size = shape.attention_size();
  part.pass(kNorm, part.outer(h));
  if (shape.is_latent()) {
    add_latent_projections(part, shape, t);
  } else {
    part.product(part.tokens(), h, (size + 2.0 * shape.kv_size()) / t);
    if (shape.gated)
      part.pass(kRotary, part.tokens() * (size + shape.kv_size()) / t);
  }
  part.attention();
  part.product(part.tokens(), size / t, h);
  part.pass(shape.gated ? kAdd : kDropoutAdd, part.outer(h));
}

// Attention of a block's tokens to an encoder's output, whose keys and values each block makes.
void add_cross_attention(RankPart& part, const Transformer& shape, const TransformerShard& shard) {
  const double h = shape.hidden;
  const double size = shape.attention_size();
  part.pass(kNorm, part.outer(h));
  part.product(part.tokens(), h, size);
  part.product(1.0 * shard.micro_batch * shape.encoder_seq, h, 2.0 * shape.kv_size());
  part.flash(shape.encoder_seq, false);
  part.product(part.tokens(), size, h);
  part.pass(shape.gated ? kAdd : kDropoutAdd, part.outer(h));
}

// A block of Mamba: into channels and their gates, a short convolution, the scan, and out. The scan
// is taken to be bound by memory: it reads a channel, its time step and its gate and writes one
// number, and its backward pass computes the states again.
void add_scan(RankPart& part, const Transformer& shape) {
  const double h = shape.hidden;
  const double inner = shape.ffn;
  constexpr Traffic kConvolution{4, 8};
  constexpr Traffic kScan{8, 16};
  part.pass(kNorm, part.outer(h));
  const double states = 2.0 * shape.state;
  part.product(part.tokens(), h, 2 * inner + (shape.state_rank > 0 ? 0 : states));
  part.pass(kConvolution, part.tokens() * inner);
  if (shape.state_rank > 0) {
    part.product(part.tokens(), inner, shape.state_rank + states);
    part.product(part.tokens(), shape.state_rank, inner);
  }
  part.pass(kScan, part.tokens() * inner);
  part.product(part.tokens(), inner, h);
  part.pass(kAdd, part.outer(h));
}

void add_mlp(RankPart& part, const Transformer& shape, double tokens, double inner) {
  const double h = shape.hidden;
  part.product(tokens, h, shape.gated ? 2 * inner : inner);
  part.pass(shape.gated ? kSwiGlu : kGelu, tokens * inner);
  part.product(tokens, inner, h);
}

// Each of a rank's experts multiplies its own tokens; the fullest one decides. Ranks that share an
// expert get the tokens of all of them.
void add_experts(RankPart& part, const Transformer& shape, const TrainingLaw& law,
                 const TransformerShard& shard) {
  const double h = shape.hidden;
  const double routed = part.tokens() * (shard.ranks_of_an_expert() / shard.tensor);
  part.product(routed, h, shape.experts);
  const double held = static_cast<double>(shape.experts) / shard.expert;
  const double tokens = routed * shape.top_k / held * shard.expert_load();
  RankPart each(shape, law, shard);
  add_mlp(each, shape, tokens, shape.ffn / shard.ranks_of_an_expert());
  part.add(each, std::ceil(held));            // equal experts, maybe thousands
  part.pass(kAdd, routed * shape.top_k * h);  // to the experts' order and back
  if (shape.shared_experts > 0)
    add_mlp(part, shape, part.tokens(), 1.0 * shape.shared_experts * shape.ffn / shard.tensor);
}

bool is_dense(const Transformer& shape, std::uint32_t layer) {
  return !shape.has_experts() || layer < shape.dense_layers;
}

void add_block_mlp(RankPart& part, const Transformer& shape, const TrainingLaw& law,
                   const TransformerShard& shard, std::uint32_t layer) {
  part.pass(kNorm, part.outer(shape.hidden));
  if (is_dense(shape, layer))
    add_mlp(part, shape, part.tokens(),
            1.0 * (shape.has_experts() ? shape.dense_ffn : shape.ffn) / shard.tensor);
  else
    add_experts(part, shape, law, shard);
  part.pass(shape.gated ? kAdd : kDropoutAdd, part.outer(shape.hidden));
}

double vocabulary_of(const Transformer& shape, const TransformerShard& shard) {
  const double part = static_cast<double>(shape.vocab) / shard.tensor;
  return shard.pad_vocabulary ? std::ceil(part / 128) * 128 : std::ceil(part);
}

}  // namespace

Bytes activation_size(const Transformer& shape, const TransformerShard& shard) {
  return element_size(shape) *
         (static_cast<double>(shard.micro_batch) * shape.seq / shard.context * shape.hidden);
}

RankParameters block_parameters(const Transformer& shape, const TransformerShard& shard,
                                std::uint32_t layer) {
  const ParameterCounts counts = parameter_counts(shape, layer);
  const auto copied = static_cast<double>(counts.copied);
  const double cut = static_cast<double>(counts.attention + counts.mlp) - copied;
  return {.dense = cut / shard.tensor + copied,
          .expert = static_cast<double>(counts.expert) * shape.experts / shard.expert /
                    shard.ranks_of_an_expert()};
}

// What is no matrix of words is on every rank.
double embedding_parameters(const Transformer& shape, const TransformerShard& shard) {
  const auto all = static_cast<double>(parameter_counts(shape, 0).embedding);
  if (shape.sees_images())
    return all;
  return vocabulary_parameters(shape, shard) + (all - 1.0 * shape.vocab * shape.hidden);
}

double head_parameters(const Transformer& shape, const TransformerShard& shard) {
  const auto all = static_cast<double>(parameter_counts(shape, 0).head);
  if (shape.sees_images())
    return all;
  const double words = shape.tied ? 0 : 1.0 * shape.vocab * shape.hidden;
  return vocabulary_parameters(shape, shard) + (all - words);
}

double vocabulary_parameters(const Transformer& shape, const TransformerShard& shard) {
  return 1.0 * shape.vocab * shape.hidden / shard.tensor;
}

PassTimes block_times(const Transformer& shape, const TrainingLaw& law,
                      const TransformerShard& shard, std::uint32_t layer) {
  RankPart part(shape, law, shard);
  if (shape.scans()) {
    add_scan(part, shape);
  } else {
    add_attention(part, shape, shard);
    if (shape.encoder_seq > 0)
      add_cross_attention(part, shape, shard);
    add_block_mlp(part, shape, law, shard, layer);
  }
  const RankParameters held = block_parameters(shape, shard, layer);
  part.accumulate(held.dense + held.expert);
  return part.times();
}

PassTimes embedding_times(const Transformer& shape, const TrainingLaw& law,
                          const TransformerShard& shard) {
  RankPart part(shape, law, shard);
  if (shape.sees_images()) {
    part.first_product(part.tokens(), shape.patch, shape.hidden);
    part.pass(kAdd, part.tokens() * shape.hidden);
  } else {
    part.pass(kLookUp, part.tokens() * shape.hidden);
  }
  part.accumulate(embedding_parameters(shape, shard));
  return part.times();
}

PassTimes head_times(const Transformer& shape, const TrainingLaw& law,
                     const TransformerShard& shard) {
  RankPart part(shape, law, shard);
  part.pass(kNorm, part.outer(shape.hidden));
  if (shape.pooler)
    part.product(shard.micro_batch, shape.hidden, shape.hidden);
  const double tokens = shape.sees_images() ? shard.micro_batch : part.tokens();
  const double words = shape.sees_images() ? shape.vocab : vocabulary_of(shape, shard);
  part.product(tokens, shape.hidden, words);
  part.loss(tokens * words);
  part.accumulate(head_parameters(shape, shard));
  return part.times();
}

namespace {

// The block's input and its norm, channels and gates before and after the convolution, time steps,
// and what the scan gives: states are computed again.
Bytes held_by_scan(const Transformer& shape, double tokens) {
  return element_size(shape) * (tokens * (2.0 * shape.hidden + 6.0 * shape.ffn));
}

}  // namespace

Bytes held_by_block(const Transformer& shape, const TransformerShard& shard, Recompute recompute) {
  const double tokens = static_cast<double>(shard.micro_batch) * shape.seq / shard.context;
  const double h = shape.hidden;
  const double t = shard.tensor;
  const double wide = element_size(shape).value / 2;
  const double outer_part = shard.sequence_parallel ? t : 1;
  if (recompute == Recompute::Full)
    return Bytes{2 * tokens * h * wide / outer_part};
  if (shape.scans())
    return held_by_scan(shape, tokens);
  const double routed = shape.top_k * (shard.capacity_factor > 0 ? shard.capacity_factor : 1);
  const double f = is_dense(shape, shape.dense_layers) && !shape.has_experts()
                       ? shape.ffn
                       : shape.ffn * (routed + shape.shared_experts);
  // Latent numbers before and behind their norm, the shared key once.
  const double latent =
      shape.is_latent() ? 4.0 * (shape.q_rank + shape.kv_rank) + 2.0 * shape.rope_dim : 0;
  const double outer = (shape.gated ? 8 : 10) * h + latent;
  // Beside its own, a block with an encoder keeps queries, keys, values and what they give again.
  const double attentions = shape.encoder_seq > 0 ? 2 : 1;
  const double inner = attentions * (2.0 * shape.heads * shape.score_size() +
                                     2.0 * shape.attention_size() + 2.0 * shape.keys_and_values()) +
                       (shape.gated ? 6 : 4) * f;
  const double stored = shape.attention == AttentionKind::Unfused ? 5
                        : shape.attention == AttentionKind::Fused ? 3
                                                                  : 0;
  const double scores =
      recompute == Recompute::Selective ? 0 : stored * shape.heads * tokens * shape.seq / t;
  return Bytes{wide * (tokens * (outer / outer_part + inner / t) + scores)};
}

Bytes held_by_head(const Transformer& shape, const TransformerShard& shard) {
  const double tokens = static_cast<double>(shard.micro_batch) * shape.seq / shard.context;
  const double outer_part = shard.sequence_parallel ? shard.tensor : 1;
  const double logits = shape.sees_images() ? 0 : vocabulary_of(shape, shard);
  return Bytes{tokens * (4.0 * shape.hidden / outer_part + 4 * logits)};
}

std::optional<Recompute> find_recompute(std::string_view word) {
  return find_among<Recompute>(kRecomputeWords, word);
}

}  // namespace stepcast
