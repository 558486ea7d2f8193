#include <fmt/format.h>

#include "traces/readers/huggingface/model_family.hpp"
#include "traces/readers/huggingface/tensor_groups.hpp"

// Models with an encoder and a decoder whose blocks attend to the encoder's output. Words that both
// use are counted with the encoder; the encoder's last norm is counted with the decoder's input,
// before which it stands.

namespace stepcast::tensors {
namespace {

// T5 adds a score by distance: from one table for a stack, or from one for each block.
constexpr std::array kDistances{Tensor{Embedding, Buckets, Heads}};
constexpr std::array kDistancesOfEach{Tensor{Block, Buckets, Heads}};
constexpr std::array kEncoderScale{Tensor{Embedding, Hidden}};
constexpr std::array kEncoderNorm{Tensor{Embedding, Hidden, One, 2}};
constexpr std::array kQueryAndValueBiases{Tensor{Block, Queries}, Tensor{Block, KeyValues},
                                          Tensor{Block, Hidden}};
// Two convolutions take three neighbouring frames of sound each.
constexpr std::array kSoundInput{Tensor{Embedding, Patch, Hidden}, Tensor{Embedding, Hidden},
                                 Tensor{Embedding, Hidden, Hidden, 3}, Tensor{Embedding, Hidden}};

// The stacks have the same sizes but for the number of blocks.
void add_encoder(ModelDraft& draft, std::uint32_t layers) {
  draft.model.encoder = draft.shape;
  draft.model.encoder->layers = layers;
  draft.model.encoder->causal = false;
  draft.model.encoder->tied = true;
  draft.shape.encoder_seq = draft.shape.seq;
}

void read_t5(const ConfigKeys& keys, ModelDraft& draft) {
  constexpr std::uint32_t kBuckets = 32;
  const bool first = keys.text_or("model_type", "") == "t5";
  const std::string mlp = keys.text_or("feed_forward_proj", first ? "relu" : "gated-gelu");
  draft.shape.gated = mlp.starts_with("gated");
  draft.more.emplace_back(draft.shape.gated ? std::span<const Tensor>(kGatedMlp) : kPlainMlp);
  draft.encoder_more = draft.more;
  draft.size(Buckets) = keys.count_or({"relative_attention_num_buckets"}, kBuckets);
  draft.encoder_sizes = draft.sizes;
  const std::uint32_t layers = draft.shape.layers;
  draft.shape.layers = keys.count_or({"num_decoder_layers"}, layers);
  add_encoder(draft, layers);
  draft.model.notes.emplace_back(
      "sequences of the encoder and of the decoder are equally long; scores by distance are not "
      "timed");
}

void require_equal(const ConfigKeys& keys, const char* encoder, const char* decoder) {
  if (keys.count({encoder}) != keys.count({decoder}))
    keys.fail(decoder, fmt::format("expected that of the encoder, {}", keys.count({encoder})));
}

void read_stacks(const ConfigKeys& keys, ModelDraft& draft) {
  require_equal(keys, "encoder_ffn_dim", "decoder_ffn_dim");
  require_equal(keys, "encoder_attention_heads", "decoder_attention_heads");
  draft.shape.ffn = keys.count({"decoder_ffn_dim"});
  draft.shape.heads = draft.shape.kv_heads = keys.count({"decoder_attention_heads"});
  draft.shape.layers = keys.count({"decoder_layers"});
}

// BART's rows of positions begin with two that nothing uses.
void read_bart(const ConfigKeys& keys, ModelDraft& draft) {
  read_stacks(keys, draft);
  constexpr std::uint32_t kUnused = 2;
  draft.size(Positions) = std::uint64_t{draft.shape.seq} + kUnused;
  draft.encoder_sizes = draft.sizes;
  add_encoder(draft, keys.count({"encoder_layers"}));
  draft.model.notes.emplace_back("sequences of the encoder and of the decoder are equally long");
}

// Sound comes in as many frames as the encoder has positions, twice as many before its second
// convolution. Its time is that of both convolutions as one product.
void read_whisper(const ConfigKeys& keys, ModelDraft& draft) {
  read_stacks(keys, draft);
  constexpr std::uint32_t kTaps = 3;
  const std::uint32_t channels = keys.count({"num_mel_bins"});
  draft.shape.seq = keys.count({"max_target_positions"});
  add_encoder(draft, keys.count({"encoder_layers"}));
  Transformer& encoder = *draft.model.encoder;
  encoder.seq = draft.shape.encoder_seq = keys.count({"max_source_positions"});
  encoder.patch = keys.product("num_mel_bins", kTaps, 2ULL * channels + draft.shape.hidden);
  encoder.tied = false;
  draft.encoder_sizes.at(static_cast<std::size_t>(Patch)) = std::uint64_t{kTaps} * channels;
  draft.model.notes.emplace_back(
      fmt::format("the encoder sees {} frames of sound in every step; its positions are counted, "
                  "though they are not trained",
                  encoder.seq));
}

const std::vector<ModelFamily>& two_stacks() {
  const Rows t5_encoder{{kWords}, {kAttention}, {kTwoScales}};
  const Rows t5_decoder{{kEncoderScale}, {kAttention}, {kAttention},
                        {kOneScale},     {kTwoScales}, {kLastScale}};
  const Rows whole_attention{{kAttention}, {kAttentionBiases}};
  const Rows sound_attention{{kAttention}, {kQueryAndValueBiases}};
  const Rows mlp{{kPlainMlp}, {kPlainMlpBiases}, {kLearnedPositions}};
  const auto t5 = [&](const char* type, std::span<const Tensor> distances, bool tied) {
    return ModelFamily{.type = type,
                       .tensors = joined(t5_decoder, {{distances}}),
                       .encoder = joined(t5_encoder, {{distances}}),
                       .tied = tied,
                       .seq = 512,
                       .adjust = read_t5};
  };
  static const std::vector<ModelFamily> all{
      t5("t5", kDistances, true),
      t5("mt5", kDistances, false),
      t5("umt5", kDistancesOfEach, false),
      {.type = "bart",
       .tensors = joined(joined(mlp, whole_attention),
                         joined(whole_attention, {{kTwoNorms}, {kOneNorm}, {kEmbeddingNorm}})),
       .encoder = joined(joined(mlp, whole_attention), {{kWords}, {kTwoNorms}, {kEmbeddingNorm}}),
       .gated = false,
       .tied = true,
       .learned_positions = true,
       .seq = 1024,
       .inner = 4,
       .adjust = read_bart},
      {.type = "whisper",
       .tensors = joined(joined(mlp, sound_attention),
                         joined(sound_attention,
                                {{kWords}, {kEncoderNorm}, {kTwoNorms}, {kOneNorm}, {kLastNorm}})),
       .encoder = joined(joined(mlp, sound_attention), {{kSoundInput}, {kTwoNorms}}),
       .gated = false,
       .tied = true,
       .learned_positions = true,
       .inner = 4,
       .adjust = read_whisper}};
  return all;
}

}  // namespace
}  // namespace stepcast::tensors

namespace stepcast {

std::span<const ModelFamily> two_stack_families() {
  return tensors::two_stacks();
}

}  // namespace stepcast
