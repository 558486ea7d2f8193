#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/study/validate/cases/case_setups.hpp"
#include "traces/formats/measured_layouts.hpp"

namespace stepcast {

/// What the sizes of a model leave open, for a row of measured cases.
struct ModelForm {
  bool gated = false;              ///< MLPs of three matrices, no biases.
  bool tied = true;                ///< The head uses the embedding's matrix.
  bool learned_positions = false;  ///< A vector for each position.
  std::string guess{};  ///< What of it nobody said, and by what it was guessed; empty: nothing.
};

/// Takes each property from the first that states it: the row's own columns; the published model
/// of that name and of these sizes (configs/cases/sets.json, then the transformers that StepCast
/// ships); the row's set. A name alone decides nothing. What nobody states is guessed by sizes: an
/// MLP is gated where the model has experts, or an inner size other than 4 x hidden, GPT-2's; with
/// a gated MLP goes Llama's recipe, a head of its own and no learned positions, else GPT-2's.
ModelForm form_of(const MeasuredLayout& row, const CaseSetup& setup,
                  const std::vector<PublishedModel>& published);

}  // namespace stepcast
