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

using Count = std::uint32_t;

PipelineOrder gpipe(const HybridReader& /*options*/, Count stages, Count micro_batches) {
  return gpipe_order(stages, micro_batches);
}

PipelineOrder one_forward_one_backward(const HybridReader& options, Count stages,
                                       Count micro_batches) {
  return one_forward_one_backward_order(stages, micro_batches,
                                        options.read.is("warm_up", "double"));
}

PipelineOrder interleaved(const HybridReader& options, Count stages, Count micro_batches) {
  return interleaved_order(stages, micro_batches, options.read.count("virtual_stages"));
}

PipelineOrder zb_h1(const HybridReader& /*options*/, Count stages, Count micro_batches) {
  return zb_h1_order(stages, micro_batches);
}

PipelineOrder zb_h2(const HybridReader& /*options*/, Count stages, Count micro_batches) {
  return zb_h2_order(stages, micro_batches);
}

PipelineOrder zb_v(const HybridReader& /*options*/, Count stages, Count micro_batches) {
  return zb_v_order(stages, micro_batches);
}

PipelineOrder dualpipe(const HybridReader& /*options*/, Count stages, Count micro_batches) {
  return dualpipe_order(stages, micro_batches);
}

PipelineOrder of_user(const HybridReader& options, Count stages, Count micro_batches) {
  PipelineOrder order = parse_order(options.read.text("order"));
  if (order.stages != stages)
    throw InputError(fmt::format("order: expected a line for each of {} stages (pp), found {}",
                                 stages, order.stages));
  if (!options.read.is("global_batch", "auto") && order.micro_batches != micro_batches)
    throw InputError(fmt::format("order: expected {} micro-batches (global_batch), found {}",
                                 micro_batches, order.micro_batches));
  // A cycle is found here, before tasks are made of it.
  walk(order, std::vector<PartTimes>(order.parts()));
  return order;
}

ScheduleInfo info(const char* name, const char* summary, const char* source, OrderMaker order) {
  return {.name = name,
          .summary = summary,
          .source = source,
          .options = hybrid_options(),
          .passes = {.order = order}};
}

std::vector<ScheduleInfo> make_pipelines() {
  std::vector<ScheduleInfo> all{
      info("gpipe", "pipeline: all forward passes, then all backward passes",
           "Huang et al., NeurIPS 2019", gpipe),
      info("1f1b", "pipeline: one forward, one backward pass in turn",
           "Narayanan et al., SC 2021 (PipeDream-flush)", one_forward_one_backward),
      info("interleaved", "1f1b over several parts of the model on each rank",
           "Narayanan et al., SC 2021", interleaved),
      info("zb-h1", "1f1b whose weight gradients fill the bubble, same memory",
           "Qi et al., ICLR 2024", zb_h1),
      info("zb-h2", "the same with a longer warm-up, twice the activations", "Qi et al., ICLR 2024",
           zb_h2),
      info("zb-v", "zero bubble over two parts on each rank, there and back; memory of 1f1b",
           "Qi et al., NeurIPS 2024", zb_v),
      info("dualpipe",
           "micro-batches from both ends, passes of both ways interleaved; weights twice",
           "DeepSeek-AI, DeepSeek-V3, 2024", dualpipe),
      info("pipeline", "pipeline in an order of your own", "", of_user)};
  all[1].options.push_back(searched(choice_option(
      "warm_up", "usual", "usual, or double: twice the activations, so that passes hide messages",
      {"usual", "double"})));
  all[2].passes.chunks = all[5].passes.chunks = all[6].passes.chunks = 2;
  all[6].passes.holds_twice = true;
  all[7].passes.of_user = true;
  all[2].options.push_back(count_option("virtual_stages", "2", "parts of the model on each rank",
                                        {.least = 1, .most = 1024}));
  all[7].options.push_back(
      text_option("order", "missing",
                  "a line for each stage, its passes as in F0 F1 B0 B1; @FILE reads them", {}));
  return all;
}

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
  if (pipeline.passes.order == interleaved && layers > recorded.stages)
    options["virtual_stages"] = std::to_string(layers / recorded.stages);
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
  if (pipeline.passes.order == of_user && reader.read.is(kOrder, "missing"))
    throw InputError(pipeline.name + ": order: missing, for example --set order=@FILE");
  reader.chunks = pipeline.passes.order == interleaved ? reader.read.count("virtual_stages")
                                                       : pipeline.passes.chunks;
  return reader;
}

}  // namespace

const std::vector<ScheduleInfo>& pipelines() {
  static const std::vector<ScheduleInfo> all = make_pipelines();
  return all;
}

const ScheduleInfo* find_pipeline(std::string_view name) {
  const auto found = std::ranges::find(pipelines(), name, &ScheduleInfo::name);
  return found == pipelines().end() ? nullptr : &*found;
}

const ScheduleInfo& megatron_pipeline(bool several_parts) {
  return *find_pipeline(several_parts ? "interleaved" : "1f1b");
}

const ScheduleInfo& recorded_order(bool several_parts, bool alternates) {
  return alternates ? megatron_pipeline(several_parts) : *find_pipeline("gpipe");
}

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
