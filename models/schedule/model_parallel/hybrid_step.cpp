#include "models/schedule/model_parallel/hybrid_step.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "models/schedule/builder.hpp"
#include "models/schedule/model_parallel/part_exchange.hpp"
#include "models/schedule/model_parallel/pass_layers.hpp"
#include "models/schedule/model_parallel/stage_gradients.hpp"
#include "models/schedule/model_parallel/stage_messages.hpp"

namespace stepcast {
namespace {

/// Time that a stage spends after the compute of a pass, by cause.
struct BesidePass {
  Seconds in_layers{};  ///< Messages inside layers.
  Seconds blocking{};   ///< Messages between stages that block both ends.
  Seconds packing{};    ///< Compression and decompression of messages between stages.
};

class HybridStep {
 public:
  HybridStep(const HybridJob& job, const Workload& model, const Workload& passes,
             const Cluster& cluster, const OptionReader& read)
      : job_(job),
        builder_(read, passes, cluster),
        element_(model.transformer ? element_size(model.transformer->shape) : Bytes{4}),
        teams_(job, builder_),
        gradients_(job, builder_, teams_, element_,
                   model.transformer ? model.transformer->law.elementwise
                                     : cluster.device.memory_bandwidth),
        messages_(job, builder_, teams_),
        ends_(std::size_t{job.order.parts()} * job.micro_batches()),
        first_of_(job.order.stages, kNone),
        has_begun_(job.order.parts()) {
    if (job.exchange)
      exchanges_.emplace(job, model, cluster, read, teams_, builder_);
  }

  PlannedStep build() && {
    for (std::uint32_t stage = 0; stage < job_.order.stages; ++stage)
      add_passes(stage);
    for (std::uint32_t stage = 0; stage < job_.order.stages; ++stage)
      messages_.add(stage, ends_);
    if (exchanges_)
      exchanges_->finish(gradients_.add_sum_of_tied(last_of_));
    else {
      gradients_.add_sums_of_stages(last_of_);
      gradients_.add_updates(first_of_, last_of_, first_gathers_, awaited_);
    }
    PlannedStep step{.plan = std::move(builder_).build(), .passes = std::move(passes_)};
    step.plan.recomputed = PassLayers::recomputed(job_);
    if (exchanges_)
      step.exchange_memory = exchanges_->memory();
    return step;
  }

 private:
  PassEnds& ends_of(std::uint32_t part, std::uint32_t micro_batch) {
    return ends_[std::size_t{part} * job_.micro_batches() + micro_batch];
  }

  // What a pass does unit by unit: it gathers parameters while the unit before computes, lets
  // gradients leave, waits for what the step before has updated, or computes between the tasks of
  // an exchange.
  struct OfUnits {
    bool gathers = false;
    bool leaves = false;
    bool awaits = false;
    PartExchange* exchange = nullptr;

    bool something() const { return gathers || leaves || awaits || exchange != nullptr; }
  };

  // Where two stages hold a part, its gradients leave when both are done.
  bool leaves_by_unit() const { return job_.overlap_gradients && !job_.order.both_ways; }

  // Gradients of a part are complete behind its last pass that makes some.
  std::vector<std::size_t> last_passes(std::uint32_t stage) const {
    std::vector<std::size_t> last(job_.order.chunks, 0);
    const auto& passes = job_.order.ranks[stage];
    for (std::size_t i = 0; i < passes.size(); ++i)
      if (passes[i].kind == PassKind::Backward || passes[i].kind == PassKind::WeightGradient)
        last[passes[i].chunk] = i;
    return last;
  }

  void add_passes(std::uint32_t stage) {
    const std::vector<std::size_t> last = last_passes(stage);
    const auto& passes = job_.order.ranks[stage];
    last_unit_ = before_last_unit_ = kNone;
    left_.clear();
    for (std::size_t i = 0; i < passes.size(); ++i)
      if (passes[i].paired)
        add_pair(stage, passes[i], passes[i + 1]), ++i;
      else
        add_pass(stage, passes[i], last[passes[i].chunk] == i);
    if (const Seconds before = time_before_sums(job_, stage); before > Seconds{})
      last_task_ = builder_.compute("recorded delays", before,
                                    {.phase = "recorded delays", .team = teams_.tensor[stage]});
    if (job_.sums_gradients() && !leaves_by_unit() && job_.zero < 2 && !job_.order.both_ways)
      gradients_.add_sum(stage, stage_parameters(job_, stage), "stage", last_task_);
    last_of_.push_back(last_task_);
    for (const std::uint32_t part : left_)
      exchanges_->of(part).write_rest();
  }

  // One behind the other on the stream, but both wait for both inputs, and what they send leaves
  // when both are done. Messages inside layers of either hide beside the compute of the other.
  void add_pair(std::uint32_t stage, const PipelinePass& forward, const PipelinePass& backward) {
    first_task_ = kNone;
    Seconds wait{};
    Seconds compute{};
    for (const PipelinePass& pass : {forward, backward}) {
      begins_pass_ = true;
      const std::uint32_t part = part_of(job_.order, stage, pass.chunk);
      for (std::size_t unit = job_.first_unit[part]; unit < job_.first_unit[part + 1]; ++unit) {
        wait += wait_of(pass.kind, job_.units[unit]);
        compute += time_of(pass.kind, job_.units[unit].compute);
      }
      add_compute(stage, pass, PassLayers::of_part(part, pass.kind), beside_pass(part, pass));
    }
    add_beside(stage, {.in_layers = std::max(Seconds{}, wait - compute)});
    for (const PipelinePass& pass : {forward, backward})
      keep_ends(stage, pass);
  }

  static bool is_forward(const PipelinePass& pass) { return pass.kind == PassKind::Forward; }

  static Seconds wait_of(const PassKind kind, const ModelUnit& unit) {
    if (kind == PassKind::WeightGradient)
      return {};
    return kind == PassKind::Forward ? unit.forward_wait : unit.backward_wait;
  }

  void add_pass(std::uint32_t stage, const PipelinePass& pass, bool is_last) {
    const std::uint32_t part = part_of(job_.order, stage, pass.chunk);
    const bool is_first = is_forward(pass) && !has_begun_[part];
    const bool makes = pass.kind != PassKind::InputGradient && !is_forward(pass);
    const bool ends = makes && is_last;
    const bool scatters = makes && job_.scatters_each_micro_batch();
    const OfUnits does{
        .gathers = job_.zero == 3 && job_.has_copies() && pass.kind != PassKind::WeightGradient,
        .leaves = makes && job_.sums_gradients() &&
                  (job_.zero == 3 || ((is_last || scatters) && leaves_by_unit())),
        .awaits = job_.awaits_blocks() && is_first,
        .exchange = exchanges_ && (is_first || ends) ? &exchanges_->of(part) : nullptr};
    has_begun_[part] = true;
    begins_pass_ = true;
    first_task_ = kNone;
    // A single stage writes all passes as data-parallel schedules do, whose exchange it uses.
    if (does.something() || (exchanges_ && job_.order.stages == 1))
      add_units(stage, part, pass, does);
    else
      add_whole(stage, part, pass);
    keep_ends(stage, pass);
    if (exchanges_ && is_first)
      exchanges_->of(part).write_until_pass();
    if (exchanges_ && ends) {
      exchanges_->of(part).write_last_communication();
      left_.push_back(part);
    }
    if (scatters && !does.leaves)
      add_sums_before_next(stage, part);
  }

  // Of a whole pass; the next one begins when they are done.
  void add_sums_before_next(std::uint32_t stage, std::uint32_t part) {
    RankParameters made;
    for (std::size_t unit = job_.first_unit[part]; unit < job_.first_unit[part + 1]; ++unit) {
      made.dense += leaving_parameters(job_, job_.units[unit]);
      made.expert += job_.units[unit].expert_parameters;
    }
    before_next_ = gradients_.add_sum(stage, made, "stage", last_task_);
  }

  void keep_ends(std::uint32_t stage, const PipelinePass& pass) {
    PassEnds& ends = ends_of(part_of(job_.order, stage, pass.chunk), pass.micro_batch);
    if (is_forward(pass)) {
      ends.first_forward = first_task_;
      ends.last_forward = last_task_;
    } else if (pass.kind != PassKind::WeightGradient) {
      ends.first_backward = first_task_;
      ends.last_backward = last_task_;
    }
    if (first_of_[stage] == kNone)
      first_of_[stage] = first_task_;
  }

  void add_whole(std::uint32_t stage, std::uint32_t part, const PipelinePass& pass) {
    BesidePass beside = beside_pass(part, pass);
    for (std::size_t unit = job_.first_unit[part]; unit < job_.first_unit[part + 1]; ++unit)
      beside.in_layers += wait_of(pass.kind, job_.units[unit]);
    add_compute(stage, pass, PassLayers::of_part(part, pass.kind), beside);
  }

  // A pass whose input and output cross stages waits for both messages, where they block, and
  // unpacks and packs them, where they are compressed.
  BesidePass beside_pass(std::uint32_t part, const PipelinePass& pass) const {
    if (pass.kind == PassKind::WeightGradient)
      return {};
    const double ends = (part > 0 ? 1 : 0) + (part + 1 < job_.order.parts() ? 1 : 0);
    return {.blocking = job_.blocked * ends, .packing = packing(part, pass)};
  }

  // At the stages before and behind a part.
  Seconds packing(std::uint32_t part, const PipelinePass& pass) const {
    const std::uint32_t stage = stage_of(job_.order, part, pass.chunk);
    Seconds sum{};
    for (const std::uint32_t other : {part - 1, part + 1}) {
      const std::uint32_t to =
          other < job_.order.parts() ? stage_of(job_.order, other, pass.chunk) : stage;
      if (to != stage && message_ratio(job_, stage, to) > 1)
        sum += job_.between_stages.once(message_size(job_, part));
    }
    return sum;
  }

  // Returns the pass; behind it the stage may wait.
  TaskId add_compute(std::uint32_t stage, const PipelinePass& pass, LayerId layer,
                     const BesidePass& beside, const std::vector<TaskId>& after = {}) {
    builder_.compute_on(teams_.tensor[stage]);
    const TaskId computed = last_task_ =
        is_forward(pass) ? builder_.forward(layer, after) : builder_.backward(layer, after);
    if (begins_pass_)
      passes_.push_back({computed, pass.micro_batch, pass.chunk, pass.kind});
    begins_pass_ = false;
    builder_.after(last_task_, before_next_);
    before_next_.clear();
    if (first_task_ == kNone)
      first_task_ = last_task_;
    add_beside(stage, beside);
    return computed;
  }

  void add_beside(std::uint32_t stage, const BesidePass& beside) {
    const auto add = [&](std::string_view phase, Seconds time) {
      if (time > Seconds{})
        last_task_ = builder_.compute(std::string(phase), time,
                                      {.phase = std::string(phase), .team = teams_.tensor[stage]});
    };
    add(kMessagesInLayers, beside.in_layers);
    add(kBlockingMessages, beside.blocking);
    add("packing", beside.packing);
  }

  void add_units(std::uint32_t stage, std::uint32_t part, const PipelinePass& pass,
                 const OfUnits& does) {
    const std::size_t first = job_.first_unit[part];
    const std::size_t count = job_.first_unit[part + 1] - first;
    const std::vector<StageBucket> buckets =
        does.leaves ? stage_buckets(job_, part) : std::vector<StageBucket>{};
    auto bucket = buckets.begin();
    for (std::size_t i = 0; i < count; ++i) {
      const ModelUnit& unit = job_.units[is_forward(pass) ? first + i : first + count - 1 - i];
      if (does.exchange)
        does.exchange->write_until_pass();
      std::vector<TaskId> after;
      if (does.gathers && unit.parameters + unit.expert_parameters > 0)
        after = gather(stage, unit);
      const auto index = static_cast<std::size_t>(&unit - job_.units.data());
      BesidePass beside = i + 1 == count ? beside_pass(part, pass) : BesidePass{};
      beside.in_layers += wait_of(pass.kind, unit);
      const TaskId computed =
          add_compute(stage, pass, PassLayers::of_unit(job_, index, pass.kind), beside, after);
      if (does.exchange)
        does.exchange->pass(computed, last_task_);
      if (does.awaits)
        awaited_.push_back({stage, index, computed});
      before_last_unit_ = last_unit_;
      last_unit_ = last_task_;
      if (bucket != buckets.end() && bucket->first == index) {
        gradients_.add_sum(stage, bucket->parameters, bucket->name, last_task_);
        ++bucket;
      }
    }
  }

  // Experts by the ranks that hold the same ones.
  std::vector<TaskId> gather(std::uint32_t stage, const ModelUnit& unit) {
    const StageCopies& dense = teams_.dense[stage];
    const StageCopies& experts = teams_.experts[stage];
    if (!job_.experts_are_apart())
      return {gather_over(dense.shard, stage, unit.name, unit.parameters + unit.expert_parameters)};
    std::vector<TaskId> gathered;
    if (dense.count > 1)
      gathered.push_back(gather_over(dense.shard, stage, unit.name, unit.parameters));
    if (unit.expert_parameters > 0 && experts.sharers > 1)
      gathered.push_back(gather_over(experts.shard, stage, unit.name, unit.expert_parameters));
    return gathered;
  }

  // One unit ahead: when the unit before the one that computes is done.
  TaskId gather_over(TeamId team, std::uint32_t stage, const std::string& name, double parameters) {
    const TaskId gathered =
        builder_.all_gather(name, element_ * parameters,
                            {.stream = teams_.parameters, .team = team, .phase = "parameters"});
    if (before_last_unit_ != kNone)
      builder_.after(gathered, {before_last_unit_});
    else
      first_gathers_.emplace_back(stage, gathered);
    return gathered;
  }

  const HybridJob& job_;
  Builder builder_;
  Bytes element_;
  StageTeams teams_;
  StageGradients gradients_;
  StageMessages messages_;
  std::vector<PassEnds> ends_;    // by part and micro-batch
  std::vector<TaskId> first_of_;  // by stage
  std::vector<TaskId> last_of_;   // of each stage's passes
  std::vector<std::pair<std::uint32_t, TaskId>> first_gathers_;
  std::vector<AwaitedUnit> awaited_;
  std::vector<bool> has_begun_;  // by part
  TaskId first_task_ = kNone;
  TaskId last_task_ = kNone;
  TaskId last_unit_ = kNone;
  TaskId before_last_unit_ = kNone;
  std::optional<PartExchanges> exchanges_;  // none: Megatron's exchange
  std::vector<std::uint32_t> left_;         // parts whose exchange goes on after the stage's passes
  std::vector<TaskId> before_next_;         // sums that the next pass waits for
  std::vector<PlannedPass> passes_;
  bool begins_pass_ = false;
};

}  // namespace

PlannedStep hybrid_step(const HybridJob& job, const Workload& model, const Cluster& cluster,
                        const OptionReader& read) {
  const Workload passes = PassLayers::workload(job, model);
  return HybridStep(job, model, passes, cluster, read).build();
}

}  // namespace stepcast
