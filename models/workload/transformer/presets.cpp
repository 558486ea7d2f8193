#include "models/workload/transformer/presets.hpp"

namespace stepcast {
namespace {

// GPT-2's recipe: layer norms, biases, GELU, positions learned, head tied to the embedding.
TransformerPreset gpt(const char* model, std::uint32_t layers, std::uint32_t hidden,
                      std::uint32_t heads, double published, const char* source,
                      std::uint32_t vocab = 51200) {
  return {.shape = {.model = model,
                    .layers = layers,
                    .hidden = hidden,
                    .ffn = 4 * hidden,
                    .heads = heads,
                    .kv_heads = heads,
                    .seq = 2048,
                    .vocab = vocab,
                    .learned_positions = true,
                    .attention = AttentionKind::Unfused,
                    .precision = "fp16"},
          .published = published,
          .source = source};
}

struct Llama {
  const char* model;
  std::uint32_t layers, hidden, ffn, heads, kv_heads, seq, vocab;
};

// RMS norms, no biases, SwiGLU, rotary positions, a head of its own.
TransformerPreset llama(const Llama& of, double published, const char* source) {
  return {.shape = {.model = of.model,
                    .layers = of.layers,
                    .hidden = of.hidden,
                    .ffn = of.ffn,
                    .heads = of.heads,
                    .kv_heads = of.kv_heads,
                    .seq = of.seq,
                    .vocab = of.vocab,
                    .gated = true,
                    .tied = false},
          .published = published,
          .source = source};
}

TransformerPreset mixtral() {
  TransformerPreset preset = llama({"mixtral-8x7b", 32, 4096, 14336, 32, 8, 4096, 32000}, 46.7,
                                   "Jiang et al., Mixtral of Experts (arXiv 2401.04088), table 1");
  preset.shape.experts = 8;
  preset.shape.top_k = 2;
  return preset;
}

// Latent attention, three dense blocks, then 256 experts and a shared one. The block that predicts
// the token after next, and its biases of experts, which no gradient trains, are left out.
TransformerPreset deepseek_v3() {
  TransformerPreset preset =
      llama({"deepseek-v3", 61, 7168, 2048, 128, 128, 4096, 129280}, 671,
            "DeepSeek-AI, DeepSeek-V3 (arXiv 2412.19437), section 4.2; multi-token prediction left "
            "out");
  Transformer& shape = preset.shape;
  shape.experts = 256;
  shape.top_k = 8;
  shape.shared_experts = 1;
  shape.dense_layers = 3;
  shape.dense_ffn = 18432;
  shape.head_dim = 128;
  shape.kv_rank = 512;
  shape.q_rank = 1536;
  shape.rope_dim = 64;
  return preset;
}

// With the pooler. Its blocks norm behind what they do: as many norms, the last one the
// embedding's.
TransformerPreset bert(const char* model, std::uint32_t layers, std::uint32_t hidden,
                       double published) {
  TransformerPreset preset =
      gpt(model, layers, hidden, hidden / 64, published,
          "Devlin et al., BERT (arXiv 1810.04805); the head predicts every token", 30522);
  preset.shape.seq = 512;
  preset.shape.segments = 2;
  preset.shape.pooler = true;
  preset.shape.causal = false;
  return preset;
}

// Images of 224 x 224 in square patches of so many pixels a side; 1,000 classes.
TransformerPreset vit(const char* model, std::uint32_t layers, std::uint32_t hidden,
                      std::uint32_t side, double published) {
  const std::uint32_t patches = (224 / side) * (224 / side);
  return {
      .shape = {.model = model,
                .layers = layers,
                .hidden = hidden,
                .ffn = 4 * hidden,
                .heads = 16,
                .kv_heads = 16,
                .seq = patches + 1,
                .vocab = 1000,
                .patch = 3 * side * side,
                .tied = false,
                .learned_positions = true,
                .causal = false},
      .published = published,
      .source = "Dosovitskiy et al., An Image is Worth 16x16 Words (arXiv 2010.11929), table 1"};
}

std::vector<TransformerPreset> make_presets() {
  constexpr const char* kMegatron = "Narayanan et al. 2021 (arXiv 2104.04473), table 1";
  constexpr const char* kMegatron2022 = "Korthikanti et al. 2022 (arXiv 2205.05198), table 3";
  constexpr const char* kLlama2 = "Touvron et al., Llama 2 (arXiv 2307.09288)";
  constexpr const char* kLlama3 = "Grattafiori et al., Llama 3 (arXiv 2407.21783), table 3";
  return {gpt("gpt3-175b", 96, 12288, 96, 174.6,
              "Brown et al., GPT-3 (arXiv 2005.14165), table 2.1", 50257),
          gpt("gpt-1.7b", 24, 2304, 24, 1.7, kMegatron),
          gpt("gpt-3.6b", 30, 3072, 32, 3.6, kMegatron),
          gpt("gpt-7.5b", 36, 4096, 32, 7.5, kMegatron),
          gpt("gpt-18.4b", 40, 6144, 48, 18.4, kMegatron),
          gpt("gpt-39.1b", 48, 8192, 64, 39.1, kMegatron),
          gpt("gpt-76.1b", 60, 10240, 80, 76.1, kMegatron),
          gpt("gpt-145.6b", 80, 12288, 96, 145.6, kMegatron),
          gpt("gpt-310.1b", 96, 16384, 128, 310.1, kMegatron),
          gpt("gpt-529.6b", 105, 20480, 128, 529.6, kMegatron),
          gpt("gpt-1008b", 128, 25600, 160, 1008.0, kMegatron),
          gpt("gpt-22b", 48, 6144, 64, 22.0, kMegatron2022),
          gpt("gpt-530b", 105, 20480, 128, 530.0, kMegatron2022),
          gpt("gpt-1t", 128, 25600, 160, 1008.0, kMegatron2022),
          llama({"llama-2-7b", 32, 4096, 11008, 32, 32, 4096, 32000}, 6.738, kLlama2),
          llama({"llama-2-13b", 40, 5120, 13824, 40, 40, 4096, 32000}, 13.016, kLlama2),
          llama({"llama-2-70b", 80, 8192, 28672, 64, 8, 4096, 32000}, 68.977, kLlama2),
          llama({"llama-3-8b", 32, 4096, 14336, 32, 8, 8192, 128256}, 8.030, kLlama3),
          llama({"llama-3-70b", 80, 8192, 28672, 64, 8, 8192, 128256}, 70.554, kLlama3),
          llama({"llama-3-405b", 126, 16384, 53248, 128, 8, 8192, 128256}, 405.853, kLlama3),
          mixtral(),
          deepseek_v3(),
          bert("bert-base", 12, 768, 0.110),
          bert("bert-large", 24, 1024, 0.335),
          vit("vit-l-16", 24, 1024, 16, 0.30433),
          vit("vit-h-14", 32, 1280, 14, 0.63205)};
}

}  // namespace

const std::vector<TransformerPreset>& transformer_presets() {
  static const std::vector<TransformerPreset> presets = make_presets();
  return presets;
}

std::vector<std::string> transformer_names() {
  std::vector<std::string> names;
  for (const TransformerPreset& preset : transformer_presets())
    names.push_back(preset.shape.model);
  return names;
}

std::optional<Transformer> find_transformer(std::string_view model) {
  for (const TransformerPreset& preset : transformer_presets())
    if (preset.shape.model == model)
      return preset.shape;
  return std::nullopt;
}

}  // namespace stepcast
