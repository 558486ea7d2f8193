#pragma once
// What a schedule says of itself, for the list of them (list/registry.hpp).

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/network/cluster.hpp"
#include "models/schedule/option_info.hpp"
#include "models/schedule/plan.hpp"
#include "models/workload/workload.hpp"

namespace stepcast {

class OptionReader;

/// A part of a training step, as the authors of a family of systems report it.
struct PartInfo {
  std::string name;                 ///< "factor-computation"
  std::vector<std::string> phases;  ///< Of the tasks that belong to it.
  std::string setting;  ///< Value of the option that switches on all parts up to this one; or none.
};

/// How a family of systems divides its step. What is in no part is "other".
struct PartsInfo {
  std::string option;           ///< The option that switches parts off.
  std::vector<PartInfo> parts;  ///< Those that can be switched in that order, then the others.
  std::string note;             ///< What is in parts whose names do not say it.
};

struct HybridReader;
struct PipelineOrder;
struct ScheduleInfo;

/// Makes the order of the passes of a pipeline's stages.
using OrderMaker = PipelineOrder (*)(const HybridReader&, std::uint32_t stages,
                                     std::uint32_t micro_batches);

/// How the stages of a model-parallel schedule order their passes.
struct PassesInfo {
  OrderMaker order = nullptr;   ///< Null: every rank holds the whole model.
  bool of_user = false;         ///< The order of passes is an option.
  bool holds_twice = false;     ///< Each part of the model; searched only where it is named.
  std::uint32_t chunks = 1;     ///< Parts of the model on each rank, unless an option says it.
  std::string chunks_option{};  ///< The name of that option; empty: there is none.
  /// The schedule whose gradient exchange the replicas of each stage use; null: Megatron's.
  std::shared_ptr<const ScheduleInfo> exchange{};
};

/// A published system: a name, its options, and the function that writes its plan.
struct ScheduleInfo {
  std::string name;     ///< "dear"
  std::string summary;  ///< One line.
  std::string source;   ///< Paper.
  std::vector<OptionInfo> options;
  std::function<Plan(const Workload&, const Cluster&, const OptionReader&)> build{};
  /// Ranks that train, where others only serve; empty: all.
  std::function<std::uint32_t(const Cluster&, const OptionReader&)> training_ranks{};
  bool second_order = false;       ///< Needs layers with Kronecker factors.
  bool compressed = false;         ///< Sends less than the gradients: convergence may suffer.
  bool bound = false;              ///< What no system can beat, and none itself.
  bool more_work = false;          ///< Its options add work (tables, samples): compared if named.
  bool sequential = false;         ///< Whole gradients, sent when all are there: no overlap.
  bool accumulates_itself = true;  ///< False: build_plan() adds the passes of `accumulation`.
  PartsInfo parts{};               ///< Empty where the step is not divided.
  bool steps_differ = false;       ///< A period of its plan holds training steps of several kinds.
  bool planned = true;             ///< False: trains on weights older than others do.
  bool asynchronous = false;       ///< Workers choose at run time whom they wait for: no plan.
  PassesInfo passes{};             ///< Of a model-parallel schedule.

  /// Whether stages or tensor groups hold parts of the model, on a layout.
  bool partitions_model() const { return passes.order != nullptr; }
  /// Whether every rank trains the whole model, in step with all others.
  bool trains_in_step() const { return !partitions_model() && !asynchronous && !training_ranks; }
  /// Whether replicas of a stage may use its exchange, under any order of passes: it sends whole or
  /// compressed gradients of a step and does nothing within the passes.
  bool is_exchange() const {
    return build && !accumulates_itself && !second_order && !bound && !more_work && !steps_differ;
  }
};

/// The options in force: defaults overlaid with `options`. Throws InputError for an unknown option,
/// naming the nearest.
ScheduleOptions effective_options(const ScheduleInfo& schedule, const ScheduleOptions& options);

/// Returns the same for a job: values `auto` that the model decides are replaced.
ScheduleOptions effective_options(const ScheduleInfo& schedule, const ScheduleOptions& options,
                                  const Workload& workload);

}  // namespace stepcast
