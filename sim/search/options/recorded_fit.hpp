#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/search/step_search.hpp"

namespace stepcast {

/// What a GPU of a recorded job holds, as told: it is not read from traces.
struct RecordedMemory {
  Bytes total{};
  std::optional<Bytes> activations;  ///< Of the total, what grows with the batch of a pass.
  std::optional<Bytes> recomputed;   ///< What is kept of activations that are computed again.
};

/// Of key and value as they were written: total, activations, recomputed. Throws InputError.
RecordedMemory recorded_memory_of(
    const std::vector<std::pair<std::string, std::string>>& key_values);

/// What it may hold.
struct MemoryWish {
  RecordedMemory memory;
  Bytes budget{};
};

/// What makes a recorded step fit.
struct FittedRecording {
  std::vector<EditRequest> edits;  ///< One, or none where it fits as it is.
  std::string change;              ///< In words.
  Bytes before{};
  Bytes after{};
};

/// The recorded step within a budget: recomputation, if it is told what is kept then, or 2, 4, ..
/// 64 passes over as many parts of the batch, if it is told what grows with that, whichever is
/// faster (Hu et al., dPRO, MLSys'22). Throws InputError that says what would be enough, or what is
/// not known.
FittedRecording fitted_recording(const EditableStep& step, const MemoryWish& wish);

/// Edits a recorded step: makes it fit where that is wished, and goes on as edit_step() does.
void edit_recording(EditableStep step, std::vector<EditRequest> asked, bool search,
                    const std::optional<MemoryWish>& wish, EditedStep& result);

}  // namespace stepcast
