#pragma once

#include <string>

#include "traces/formats/kineto/device_work.hpp"
#include "traces/formats/kineto/layers/average_step.hpp"
#include "traces/formats/kineto/layers/gradient_sizes.hpp"
#include "traces/formats/kineto/shapes/input_shapes.hpp"
#include "traces/formats/reader.hpp"

namespace stepcast {

/// What the notes of an imported workload tell, beside its layers.
struct KinetoFacts {
  std::string origin;        ///< The first file.
  std::size_t ranks = 1;     ///< Files averaged.
  std::uint32_t job = 0;     ///< Ranks of the job; 0: not recorded.
  std::string device_name;   ///< "Tesla V100"; may be empty.
  std::string steps_by;      ///< How steps were told apart.
  std::string gradients_by;  ///< Where their sizes come from; empty: not known.
  BatchGuess batch;          ///< By the recorded shapes.
  GradientType gradient_type;
  std::vector<Bytes> buckets;  ///< Gradient buckets in the order of their all-reduces.
  std::string alignment;       ///< Of the ranks' clocks; empty: one rank.
  std::uint64_t repaired_backslashes = 0;
};

/// The workload of an average step. Throws InputError if it has no time, or if neither trace nor
/// options tell the batch.
Workload workload_of(const AverageStep& step, const KinetoFacts& facts,
                     const ImportOptions& options);

/// Steps, time by category, collectives and overlap of a profiler trace.
TraceSummary summarize(const KinetoTrace& trace, const KinetoView& view);

}  // namespace stepcast
