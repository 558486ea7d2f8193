#include "models/schedule/model_parallel/schedules.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "models/schedule/model_parallel/exchange_options.hpp"
#include "models/schedule/model_parallel/hybrid_job.hpp"
#include "models/schedule/model_parallel/hybrid_plan.hpp"
#include "models/schedule/options.hpp"

namespace stepcast {
namespace {

constexpr const char* kOrder = "order";

/// The options of the job as it was recorded, in the place of the defaults.
ScheduleOptions recorded_options(const ScheduleInfo& pipeline, const RecordedPipeline& recorded,
                                 std::size_t layers) {
  ScheduleOptions options;
  options["pp"] = std::to_string(recorded.stages);
  options["tp"] = std::to_string(recorded.tensor);
  options["cp"] = std::to_string(recorded.context);
  options["zero"] = std::to_string(recorded.shares_optimiser ? 1 : 0);
  options["overlap_gradients"] = std::string("no");
  options["norm_barrier"] = std::string(recorded.norm ? "yes" : "no");
  if (!pipeline.passes.chunks_option.empty() && layers > recorded.stages)
    options[pipeline.passes.chunks_option] = std::to_string(layers / recorded.stages);
  return options;
}

ScheduleOptions in_force(const ScheduleInfo& pipeline, const Workload& workload,
                         const ScheduleOptions& given) {
  ScheduleOptions options = given;
  name_stage(options);
  if (workload.pipeline)
    options.merge(recorded_options(pipeline, *workload.pipeline, workload.layers.size()));
  return effective_options(pipeline, options, workload);
}

HybridReader reader_of(const ScheduleInfo& pipeline, const ScheduleOptions& options) {
  HybridReader reader{.read = OptionReader(pipeline.name, pipeline.options, options),
                      .exchange = pipeline.passes.exchange};
  if (pipeline.passes.of_user && reader.read.is(kOrder, "missing"))
    throw InputError(pipeline.name + ": order: missing, for example --set order=@FILE");
  reader.chunks = pipeline.passes.chunks_option.empty()
                      ? pipeline.passes.chunks
                      : reader.read.count(pipeline.passes.chunks_option);
  return reader;
}

}  // namespace

HybridJob hybrid_job_of(const ScheduleInfo& pipeline, const Workload& model, const Cluster& cluster,
                        const ScheduleOptions& options) {
  return hybrid_job(model, cluster, reader_of(pipeline, in_force(pipeline, model, options)),
                    pipeline.passes.order);
}

HybridRun build_hybrid(const ScheduleInfo& pipeline, const Workload& model, const Cluster& cluster,
                       const ScheduleOptions& options, std::span<const double> slowness) {
  ScheduleOptions effective = in_force(pipeline, model, options);
  const HybridReader reader = reader_of(pipeline, effective);
  HybridJob job = hybrid_job(model, cluster, reader, pipeline.passes.order, slowness);
  if (effective.contains(kOrder))
    effective[kOrder] = order_text(job.order);
  HybridPlan hybrid = hybrid_plan(job, model, cluster, reader.read);
  return {.job = std::move(job), .hybrid = std::move(hybrid), .options = std::move(effective)};
}

}  // namespace stepcast
