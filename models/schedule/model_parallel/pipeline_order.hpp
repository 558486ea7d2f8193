#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stepcast {

/// A pass of one micro-batch through one part of the model.
enum class PassKind : std::uint8_t {
  Forward,
  Backward,        ///< Gradients of input and weights, one after the other.
  InputGradient,   ///< What the stage before waits for,
  WeightGradient,  ///< and what nobody does until the end of the step.
};

struct PipelinePass {
  PassKind kind = PassKind::Forward;
  std::uint32_t micro_batch = 0;
  std::uint32_t chunk = 0;  ///< Which of its rank's parts of the model.
  bool paired = false;      ///< Interleaved with the next pass: both end together.

  bool operator==(const PipelinePass&) const = default;
};

/// What every stage of a pipeline does in a step, in order: data, of which everything else (times,
/// tasks, memory, pictures) is read off.
///
/// The model is cut into stages * chunks parts. Rank i holds the parts i, i + p, i + 2p, ..; or
/// folded, as in a V: i and 2p - 1 - i. Where micro-batches go both ways the model is cut into as
/// many parts as stages, of which rank i holds i, and p - 1 - i again for those that come from the
/// last rank: the second half of them.
struct PipelineOrder {
  std::string name;
  std::uint32_t stages = 1;
  std::uint32_t chunks = 1;
  std::uint32_t micro_batches = 1;
  bool folded = false;
  bool both_ways = false;
  std::vector<std::vector<PipelinePass>> ranks;

  std::uint32_t parts() const { return both_ways ? stages : stages * chunks; }
};

/// Of a rank's chunk, and back: where parts are held twice, by chunk.
std::uint32_t part_of(const PipelineOrder& order, std::uint32_t stage, std::uint32_t chunk);
std::uint32_t stage_of(const PipelineOrder& order, std::uint32_t part, std::uint32_t chunk = 0);

/// All forward passes, then all backward passes (Huang et al., 2019).
PipelineOrder gpipe_order(std::uint32_t stages, std::uint32_t micro_batches);

/// One forward and one backward pass in turn behind a warm-up of p - 1 - i forward passes on stage
/// i (PipeDream-flush, Narayanan et al., 2021), or of twice as many: then a message of any stage
/// may take as long as a pass and nobody waits, for twice the activations.
PipelineOrder one_forward_one_backward_order(std::uint32_t stages, std::uint32_t micro_batches,
                                             bool double_warm_up = false);

/// The same over `chunks` parts of the model on each rank (Narayanan et al., 2021, section 2.2).
/// Throws InputError unless the stages divide the micro-batches.
PipelineOrder interleaved_order(std::uint32_t stages, std::uint32_t micro_batches,
                                std::uint32_t chunks);

/// 1F1B with weight gradients apart (Qi et al., 2023): stage i keeps its first i back, then does
/// one behind each input gradient; zb-h1 holds as many activations as 1F1B.
PipelineOrder zb_h1_order(std::uint32_t stages, std::uint32_t micro_batches);
/// More forward passes in the warm-up, and stage i keeps 2i weight gradients back, so that every
/// stage works from its first pass to its last without a break: 2p - 1 activations.
PipelineOrder zb_h2_order(std::uint32_t stages, std::uint32_t micro_batches);

/// Two parts on each rank, i and 2p - 1 - i, so that the last part is where the first one is; input
/// and weight gradients apart. With passes of equal length every rank works from its first pass to
/// its last without a break from 2p - 1 micro-batches on, and none holds more than 2p parts'
/// activations, p micro-batches of 1F1B (Qi et al., Pipeline Parallelism with Controllable Memory,
/// 2024; the order is that of PyTorch's ScheduleZBVZeroBubble).
PipelineOrder zb_v_order(std::uint32_t stages, std::uint32_t micro_batches);

/// Half of the micro-batches go through the stages from the last to the first, so that each rank
/// holds two parts, and a forward pass of one direction is interleaved with a backward pass of the
/// other (DeepSeek-V3, 2024): p + 1 activations, a bubble of (p/2 - 1)(FB + B - 3W) with FB of an
/// interleaved pair, B of a whole backward pass and W of its weight gradients. Throws InputError
/// unless stages and micro-batches are even and these at least twice as many.
PipelineOrder dualpipe_order(std::uint32_t stages, std::uint32_t micro_batches);

/// An order of the user's: a line for each stage, its passes in order, "F0 F1 B0 F2 B1 B2"; I and W
/// are the two halves of B, "F0.1" is of the second part on the rank; # begins a comment, and ;
/// ends a line too. Throws InputError naming line and pass.
PipelineOrder parse_order(std::string_view text);
/// On one line.
std::string order_text(const PipelineOrder& order);

/// "F3.1"
std::string describe(const PipelinePass& pass, bool with_chunk);

/// Throws InputError unless every part does each micro-batch forward once, and backward once or by
/// halves.
void check_order(const PipelineOrder& order);

/// The most that a stage holds at once, where a micro-batch counts as much as `of_chunk` says from
/// its forward pass until it is done with.
double most_held(const PipelineOrder& order, std::uint32_t stage,
                 const std::vector<double>& of_chunk);

}  // namespace stepcast
