#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/base/units.hpp"

namespace stepcast {

/// What a rank does once a step for a part of the model, as recorded.
struct RecordedPart {
  Bytes gathered{};       ///< Of parameters that come back updated; 0: as many as of gradients.
  Seconds update{};       ///< Of the parameters that one of the recorded copies updated.
  Seconds before_sums{};  ///< Other work, and what the host let the device wait for, before
  Seconds once{};         ///< gradients are added up, and behind that.
};

/// A job of several stages as recorded: what a workload's layers, of which each is a part of the
/// model in one micro-batch, do not say.
struct RecordedPipeline {
  std::uint32_t stages = 1;         ///< With the same number of layers each.
  std::uint32_t micro_batches = 1;  ///< That a copy works through in a step.
  std::uint32_t copies = 1;         ///< That added up the gradients of a stage.
  std::uint32_t tensor = 1;         ///< Ranks that shared every layer,
  std::uint32_t context = 1;        ///< and every sequence.
  std::string schedule;             ///< The order of the passes.
  bool shares_optimiser = false;    ///< Copies updated a part of the parameters each (ZeRO 1).
  std::optional<Seconds> norm{};    ///< Where all agreed on a norm: beside the message of a number.
  Bytes tied{};                     ///< Of gradients that the first and the last part share.
  std::vector<RecordedPart> parts;  ///< Of each layer.
};

}  // namespace stepcast
