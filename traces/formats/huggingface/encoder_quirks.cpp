#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "traces/formats/huggingface/model_family.hpp"

// What the files of encoders of words and of images say in an unusual way, and those of models with
// an encoder and a decoder whose blocks attend to its output. Words that both use are counted with
// the encoder; the encoder's last norm is counted with the decoder's input, before which it stands.

namespace stepcast {
namespace {

using enum TensorSize;

void read_bert(const ConfigKeys& keys, ModelDraft& draft) {
  constexpr std::uint32_t kTypes = 2;
  draft.shape.segments = keys.count_or({"type_vocab_size"}, kTypes, 0);
}

// Rows of positions begin with those of padding, which no token takes.
void read_roberta(const ConfigKeys& keys, ModelDraft& draft) {
  read_bert(keys, draft);
  constexpr std::uint32_t kPadding = 2;
  draft.size(Positions) = draft.shape.seq;
  draft.shape.seq = std::max(draft.shape.seq, kPadding + 1) - kPadding;
}

void read_embedded(const ConfigKeys& keys, ModelDraft& draft) {
  read_bert(keys, draft);
  draft.size(Embedded) = keys.count_or({"embedding_size"}, draft.shape.hidden);
}

void read_electra(const ConfigKeys& keys, ModelDraft& draft) {
  read_embedded(keys, draft);
  if (draft.size(Embedded) != draft.shape.hidden)
    draft.more.emplace_back("way_in");
}

void read_albert(const ConfigKeys& keys, ModelDraft& draft) {
  read_embedded(keys, draft);
  for (const char* key : {"num_hidden_groups", "inner_group_num"})
    if (keys.count_or({key}, 1) != 1)
      keys.fail(key, "expected 1: one set of parameters for all blocks");
  draft.shape.shared_blocks = true;
  draft.more.emplace_back("way_in");
}

// DeBERTa's positions are relative: rows for distances both ways, which all blocks share.
void read_deberta(const ConfigKeys& keys, ModelDraft& draft) {
  draft.shape.segments = keys.count_or({"type_vocab_size"}, 0, 0);
  if (!keys.flag_or("relative_attention", false) || !keys.flag_or("share_att_key", false))
    keys.fail("share_att_key", "expected true, with relative_attention: as in DeBERTa V3");
  if (keys.count_or({"conv_kernel_size"}, 0, 0) > 0)
    keys.fail("conv_kernel_size", "expected 0: convolutions of DeBERTa are not known");
  if (keys.flag_or("position_biased_input", true))
    keys.fail("position_biased_input", "expected false: as in DeBERTa V3");
  const std::int64_t buckets = keys.index_or("position_buckets", -1);
  draft.size(Positions) =
      2 * (buckets > 0 ? static_cast<std::uint64_t>(buckets) : std::uint64_t{draft.shape.seq});
  if (keys.text_or("norm_rel_ebd", "none").find("layer_norm") != std::string::npos)
    draft.more.emplace_back("embedding_norm");
}

void read_image(const ConfigKeys& keys, ModelDraft& draft) {
  Transformer& shape = draft.shape;
  const std::uint32_t patch = keys.count_or({"patch_size"}, 16);
  const std::uint32_t image = keys.count_or({"image_size"}, 224);
  const std::uint32_t channels = keys.count_or({"num_channels"}, 3);
  if (image % patch != 0)
    keys.fail("image_size", fmt::format("expected a multiple of patch_size, {}", patch));
  constexpr std::uint32_t kLargest = 1U << 14;
  if (image > kLargest || channels > kLargest)
    keys.fail("image_size", fmt::format("expected at most {} pixels and channels", kLargest));
  shape.seq = (image / patch) * (image / patch) + 1;
  shape.patch = keys.product("num_channels", channels, std::uint64_t{patch} * patch);
  constexpr std::size_t kImageNet = 1000;
  constexpr std::size_t kMostClasses = 1U << 20;
  const std::size_t classes = keys.entries("id2label");
  shape.vocab =
      static_cast<std::uint32_t>(classes > 0 ? std::min(classes, kMostClasses) : kImageNet);
  if (classes == 0)
    draft.model.notes.emplace_back("classes are not stated: 1,000");
}

// A second token beside that for the class, and a second classifier, learn from a teacher.
void read_deit(const ConfigKeys& keys, ModelDraft& draft) {
  read_image(keys, draft);
  ++draft.shape.seq;
}

// Two scales for what a block adds, and a vector for patches that are masked while it is trained.
// Nothing is classified: the time of the head is that of one class.
void read_dinov2(const ConfigKeys& keys, ModelDraft& draft) {
  const std::uint32_t ratio = keys.count_or({"mlp_ratio"}, 4);
  draft.shape.ffn = keys.product("mlp_ratio", draft.shape.hidden, ratio);
  read_image(keys, draft);
  draft.model.notes.clear();
  draft.shape.vocab = 1;
  if (!keys.flag_or("use_swiglu_ffn", false)) {
    draft.more.insert(draft.more.end(), {"plain_mlp", "plain_mlp_biases"});
    return;
  }
  constexpr std::uint32_t kOf = 8;  // two thirds, up to a multiple
  draft.shape.ffn = (draft.shape.ffn * 2 / 3 + kOf - 1) / kOf * kOf;
  draft.shape.gated = true;
  draft.more.insert(draft.more.end(), {"gated_mlp", "gated_mlp_biases"});
}

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
  draft.more.emplace_back(draft.shape.gated ? "gated_mlp" : "plain_mlp");
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

constexpr std::array kQuirks{
    Quirk{"bert", read_bert},     Quirk{"roberta", read_roberta}, Quirk{"electra", read_electra},
    Quirk{"albert", read_albert}, Quirk{"deberta", read_deberta}, Quirk{"image", read_image},
    Quirk{"deit", read_deit},     Quirk{"dinov2", read_dinov2},   Quirk{"t5", read_t5},
    Quirk{"bart", read_bart},     Quirk{"whisper", read_whisper}};

}  // namespace

std::span<const Quirk> encoder_quirks() {
  return kQuirks;
}

}  // namespace stepcast
