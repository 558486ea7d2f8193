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
