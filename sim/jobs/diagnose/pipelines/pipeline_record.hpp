#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/base/units.hpp"
#include "traces/job/job.hpp"

namespace stepcast {

/// Transfers of one purpose of a stage's rank in a step, or between two stages in a micro-batch.
struct RecordedTransfers {
  double count = 0;            ///< Of them, on average
  Seconds time{};              ///< and what one takes, waiting apart.
  std::optional<Bytes> bytes;  ///< Of all of them, if the traces hold it.
  bool scatters = false;       ///< Sums of which a rank keeps a part.
};

/// What the ranks of a stage do once a step.
struct StageRecord {
  Seconds update{};
  Seconds before_sums{};  ///< Other work, and delays that no pass has, before sums of gradients
  Seconds once{};         ///< and behind them.
  RecordedTransfers sums;
  RecordedTransfers parameters;
  RecordedTransfers message;  ///< To the next stage, and back.
};

/// Means over ranks and steps of a job of several stages.
struct PipelineRecord {
  std::vector<Seconds> forward;   ///< Of a micro-batch on each part of the model.
  std::vector<Seconds> backward;  ///< The same.
  std::vector<StageRecord> stages;
  RecordedTransfers tied;
  std::optional<Seconds> norm;  ///< The sum over all ranks.
  bool alternates = false;      ///< The last stage's backward passes begin among its forward ones.
  /// Of the host in a step: of the most delayed rank over the mean of its stage; 0: below 2 % of
  /// it.
  Seconds uneven_delays{};
  double beside = 0;          ///< Of the time of sums, the share before the last backward pass.
  double gathered_among = 0;  ///< Of the time of gathers of parameters, that behind the first pass.
};

/// With each operation as long as recorded, and passes with the host's delays before them; or
/// `ideal`: as long as its kind, without. Throws InputError as check_recorded_passes(), and for a
/// part of the model without passes.
PipelineRecord pipeline_record_of(const Job& job, bool ideal);

/// What forecasts of a recorded pipeline do in another way than it was recorded, in sentences.
std::vector<std::string> notes_of(const PipelineRecord& record);

}  // namespace stepcast
