#include "traces/readers/huggingface/model_family.hpp"
#include "traces/readers/huggingface/tensor_groups.hpp"

// State-space models (Mamba, arXiv 2312.00752; Mamba-2, arXiv 2405.21060). A block has channels in
// place of heads; `Inner` counts them.

namespace stepcast::tensors {
namespace {

constexpr std::array kMamba{Tensor{Block, Hidden, Inner, 2},     // channels and gates
                            Tensor{Block, Inner, Taps},          // convolution
                            Tensor{Block, Inner, States, 2},     // B and C
                            Tensor{Block, Inner, StateRank, 2},  // time steps, down and up
                            Tensor{Block, Inner},                // their bias
                            Tensor{Block, Inner, States},        // A
                            Tensor{Block, Inner},                // D
                            Tensor{Block, Inner, Hidden}};
constexpr std::array kMamba2{Tensor{Block, Hidden, Inner, 2},   // channels and gates
                             Tensor{Block, Hidden, States, 2},  // B and C
                             Tensor{Block, Hidden, Heads},      // time steps
                             Tensor{Block, Inner, Taps},
                             Tensor{Block, States, Taps, 2},
                             Tensor{Block, Heads, One, 3},  // bias of time steps, A, D
                             Tensor{Block, Inner},          // norm before the way out
                             Tensor{Block, Inner, Hidden}};
constexpr std::array kConvolutionBias{Tensor{Block, Inner}};
constexpr std::array kConvolutionBiases{Tensor{Block, Inner}, Tensor{Block, States, One, 2}};
constexpr std::array kProductBiases{Tensor{Block, Inner, One, 2}, Tensor{Block, Hidden}};

// The scan's own rates were measured on no device.
void note_scan(ModelDraft& draft) {
  draft.model.notes.emplace_back(
      "scans are timed by what they read and write, which is a lower bound");
}

void read_taps(const ConfigKeys& keys, ModelDraft& draft) {
  constexpr std::uint32_t kTaps = 4;
  draft.size(Taps) = keys.count_or({"conv_kernel"}, kTaps);
}

void read_mamba(const ConfigKeys& keys, ModelDraft& draft) {
  Transformer& shape = draft.shape;
  read_taps(keys, draft);
  constexpr std::uint32_t kPerStep = 16;
  shape.state = keys.count_or({"state_size"}, kPerStep);
  const std::uint32_t rank = (shape.hidden + kPerStep - 1) / kPerStep;
  shape.state_rank = keys.is_text("time_step_rank")  // "auto"
                         ? rank
                         : keys.count_or({"time_step_rank"}, rank);
  note_scan(draft);
}

void read_mamba2(const ConfigKeys& keys, ModelDraft& draft) {
  Transformer& shape = draft.shape;
  read_taps(keys, draft);
  constexpr std::uint32_t kExpand = 2;
  shape.ffn = keys.product("expand", keys.count_or({"expand"}, kExpand), shape.hidden);
  draft.size(Heads) = keys.count({"num_heads"});
  shape.state =
      keys.product("n_groups", keys.count_or({"state_size"}, 128), keys.count_or({"n_groups"}, 8));
  if (keys.flag_or("use_bias", false))
    keys.fail("use_bias", "expected false: Mamba-2 is not known with biases");
  note_scan(draft);
}

const std::vector<ModelFamily>& scanners() {
  const std::vector<FamilyTensors> mamba{{kWords},
                                         {kMamba},
                                         {kOneScale},
                                         {kLastScale},
                                         {kConvolutionBias, "use_conv_bias", true},
                                         {kProductBiases, "use_bias", false}};
  static const std::vector<ModelFamily> all{
      {.type = "mamba",
       .tensors = mamba,
       .tied = true,
       .heads = false,
       .inner = 2,
       .adjust = read_mamba},
      {.type = "falcon_mamba",
       .tensors = mamba,
       .tied = true,
       .heads = false,
       .inner = 2,
       .adjust = read_mamba},
      {.type = "mamba2",
       .tensors = {{kWords},
                   {kMamba2},
                   {kOneScale},
                   {kLastScale},
                   {kConvolutionBiases, "use_conv_bias", true}},
       .heads = false,
       .inner = 2,
       .adjust = read_mamba2}};
  return all;
}

}  // namespace
}  // namespace stepcast::tensors

namespace stepcast {

std::span<const ModelFamily> scanning_families() {
  return tensors::scanners();
}

}  // namespace stepcast
