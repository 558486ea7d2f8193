#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "traces/readers/huggingface/model_family.hpp"
#include "traces/readers/huggingface/tensor_groups.hpp"

// Encoders of words and of images. Their head depends on what they are trained for, which
// "architectures" says: BertModel ends with a pooler, BertForMaskedLM with what predicts words.

namespace stepcast::tensors {
namespace {

constexpr const char* kBare = "Model";
constexpr const char* kMasked = "ForMaskedLM";
constexpr const char* kPretraining = "ForPreTraining";
constexpr const char* kClasses = "ForImageClassification";

// Words are predicted with the embedding's matrix, after a product and a norm, with a bias each.
constexpr std::array kPredictor{Tensor{TensorPart::Head, Hidden, Embedded},
                                Tensor{TensorPart::Head, Embedded, One, 3}, kHeadBias[0]};
// Two numbers say whether a second sentence follows the first.
constexpr std::array kPair{Tensor{TensorPart::Head, Hidden, One, 2},
                           Tensor{TensorPart::Head, One, One, 2}};
// Words, positions and token types of another size than the hidden one, and their norm.
constexpr std::array kEmbeddedInput{
    Tensor{Embedding, Vocabulary, Embedded}, Tensor{Embedding, Positions, Embedded},
    Tensor{Embedding, TokenTypes, Embedded}, Tensor{Embedding, Embedded, One, 2}};
constexpr std::array kWayIn{Tensor{Embedding, Embedded, Hidden}, Tensor{Embedding, Hidden}};
constexpr std::array kPatches{Tensor{Embedding, Patch, Hidden}, Tensor{Embedding, Hidden, One, 2},
                              Tensor{Embedding, Positions, Hidden}};
constexpr std::array kOneToken{Tensor{Embedding, Hidden}};
constexpr std::array kClassifier{Tensor{TensorPart::Head, Hidden, Classes},
                                 Tensor{TensorPart::Head, Classes}};
// One number says whether a generator put a word in.
constexpr std::array kDetector{Tensor{TensorPart::Head, Hidden, Hidden},
                               Tensor{TensorPart::Head, Hidden, One, 2}, Tensor{TensorPart::Head}};
constexpr std::array kDenseWithoutBias{Tensor{TensorPart::Head, Hidden, Hidden}};

// Blocks with layer norms and biases everywhere.
Rows blocks(const Rows& more) {
  return joined({{kAttention}, {kAttentionBiases}, {kPlainMlp}, {kPlainMlpBiases}, {kTwoNorms}},
                more);
}

Rows bert_like(const Rows& more = {}) {
  return joined(blocks({{kEmbeddedInput}, {.tensors = kPredictor, .task = kMasked}}), more);
}

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
    draft.more.emplace_back(kWayIn);
}

void read_albert(const ConfigKeys& keys, ModelDraft& draft) {
  read_embedded(keys, draft);
  for (const char* key : {"num_hidden_groups", "inner_group_num"})
    if (keys.count_or({key}, 1) != 1)
      keys.fail(key, "expected 1: one set of parameters for all blocks");
  draft.shape.shared_blocks = true;
  draft.more.emplace_back(kWayIn);
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
    draft.more.emplace_back(kEmbeddingNorm);
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
    draft.more.insert(draft.more.end(), {kPlainMlp, kPlainMlpBiases});
    return;
  }
  constexpr std::uint32_t kOf = 8;  // two thirds, up to a multiple
  draft.shape.ffn = (draft.shape.ffn * 2 / 3 + kOf - 1) / kOf * kOf;
  draft.shape.gated = true;
  draft.more.insert(draft.more.end(), {kGatedMlp, kGatedMlpBiases});
}

using Adjust = void (*)(const ConfigKeys& keys, ModelDraft& draft);

ModelFamily word_encoder(std::string_view type, Rows tensors, const char* task, Adjust adjust,
                         std::uint32_t positions = 512) {
  return {.type = type,
          .tensors = std::move(tensors),
          .gated = false,
          .tied = true,
          .causal = false,
          .learned_positions = true,
          .seq = positions,
          .task = task,
          .adjust = adjust};
}

ModelFamily image_encoder(std::string_view type, const Rows& more, const char* task,
                          Adjust adjust) {
  return {.type = type,
          .tensors = joined({{kPatches}, {kTwoNorms}, {kLastNorm}, {kAttention}}, more),
          .gated = false,
          .causal = false,
          .learned_positions = true,
          .inner = 4,
          .task = task,
          .adjust = adjust};
}

constexpr std::uint32_t kRoberta = 514;
constexpr const char* kTeacher = "ForImageClassificationWithTeacher";
const Rows two_sentences = bert_like({{.tensors = kPooler, .task = kBare},
                                      {.tensors = kPooler, .task = kPretraining},
                                      {.tensors = kPredictor, .task = kPretraining},
                                      {.tensors = kPair, .task = kPretraining}});
const Rows one_sentence = bert_like({{.tensors = kPooler, .task = kBare}});
const Rows image_blocks{{kQkvBiases, "qkv_bias", true},
                        {kOutputBias},
                        {kPlainMlp},
                        {kPlainMlpBiases},
                        {.tensors = kPooler, .task = kBare},
                        {.tensors = kClassifier, .task = kClasses}};

const std::vector<ModelFamily> encoders{
    word_encoder("bert", two_sentences, kBare, read_bert),
    word_encoder("roberta", one_sentence, kMasked, read_roberta, kRoberta),
    word_encoder("xlm-roberta", one_sentence, kMasked, read_roberta, kRoberta),
    word_encoder("camembert", one_sentence, kMasked, read_roberta, kRoberta),
    word_encoder("distilbert", bert_like(), kMasked, nullptr),
    word_encoder("electra", bert_like({{.tensors = kDetector, .task = kPretraining}}), kPretraining,
                 read_electra),
    word_encoder("albert", two_sentences, kBare, read_albert),
    word_encoder("deberta-v2", bert_like(), kBare, read_deberta),
    // The first block has no norm before its attention: that of the embedding stands for it.
    {.type = "modernbert",
     .tensors = {{kWords},
                 {kAttention},
                 {kGatedMlp},
                 {kTwoScales},
                 {kLastScale},
                 {.tensors = kDenseWithoutBias, .task = kMasked},
                 {.tensors = kLastScale, .task = kMasked},
                 {.tensors = kHeadBias, .task = kMasked}},
     .tied = true,
     .causal = false,
     .task = kMasked},
    image_encoder("vit", image_blocks, kClasses, read_image),
    image_encoder("deit",
                  joined(image_blocks, {{kOneToken},
                                        {.tensors = kClassifier, .task = kTeacher},
                                        {.tensors = kClassifier, .task = kTeacher}}),
                  kTeacher, read_deit),
    image_encoder("dinov2", {{kAttentionBiases}, {kTwoScales}, {kOneToken}}, kBare, read_dinov2)};

}  // namespace
}  // namespace stepcast::tensors

namespace stepcast {

std::span<const ModelFamily> encoder_families() {
  return tensors::encoders;
}

}  // namespace stepcast
