#include "models/schedule/model_parallel/hybrid_step.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/schedule/builder.hpp"
#include "models/schedule/model_parallel/part_exchange.hpp"
#include "models/schedule/model_parallel/pass_layers.hpp"
#include "models/schedule/model_parallel/stage_gradients.hpp"

namespace stepcast {
namespace {

/// What a pass does behind its compute.
struct BesidePass {
  Seconds in_layers{};  ///< Messages inside layers,
  Seconds blocking{};   ///< messages between stages that block, and
  Seconds packing{};    ///< what packing and unpacking compressed ones takes.
};

class HybridStep {
 public:
  HybridStep(const HybridJob& job, const CutModel& model, const Workload& passes,
             const Cluster& cluster, const OptionReader& read)
      : job_(job),
        builder_(read, passes, cluster),
        element_(model.transformer ? element_size(model.transformer->shape) : Bytes{4}),
        teams_(job, builder_),
        gradients_(job, builder_, teams_, element_,
                   model.transformer ? model.transformer->law.elementwise
                                     : cluster.device.memory_bandwidth),
        ends_(std::size_t{job.order.parts()} * job.micro_batches()),
        messages_(std::size_t{2} * job.order.stages * job.order.chunks),
        first_of_(job.order.stages, kNone),
        has_begun_(job.order.parts()) {
    for (std::uint32_t i = 0; i < job.micro_batches(); ++i)
      micro_batches_.push_back("micro-batch " + std::to_string(i));
    if (job.exchange)
      plan_exchanges(model, cluster, read);
  }

  PlannedStep build() && {
    for (std::uint32_t stage = 0; stage < job_.order.stages; ++stage)
      add_passes(stage);
    for (std::uint32_t stage = 0; stage < job_.order.stages; ++stage)
      add_messages(stage);
    if (job_.exchange)
      finish_exchanges();
    else {
      gradients_.add_sums_of_stages(last_of_);
      gradients_.add_updates(first_of_, last_of_, first_gathers_, awaited_);
    }
    PlannedStep step{.plan = std::move(builder_).build(), .passes = std::move(passes_)};
    for (const PartExchange& exchange : exchanges_)
      step.exchange_memory.push_back(exchange.memory());
    return step;
  }

 private:
  // First and last task of a pass, forward and backward.
  struct Ends {
    TaskId first_forward = kNone, last_forward = kNone;
    TaskId first_backward = kNone, last_backward = kNone;
  };

  // What all messages from a chunk of a stage have in common, one way.
  struct Message {
    Bytes size{};
    CommunicationOptions options;
  };

  Ends& ends_of(std::uint32_t part, std::uint32_t micro_batch) {
    return ends_[std::size_t{part} * job_.micro_batches() + micro_batch];
  }

  // The schedule of the exchange plans each part as a model of its own.
  void plan_exchanges(const CutModel& model, const Cluster& cluster,
                      const OptionReader& of_passes) try {
    const OptionReader read(job_.exchange->name, job_.exchange->options, job_.exchange_options);
    const BytesPerSecond rate =
        model.transformer ? model.transformer->law.elementwise : cluster.device.memory_bandwidth;
    for (std::uint32_t part = 0; part < job_.order.parts(); ++part) {
      const std::uint32_t stage = stage_of(job_.order, part);
      const Team copies = copies_team(job_.layout, stage);
      const Workload workload = part_workload(job_, model, part, rate);
      Plan plan = job_.exchange->build(workload, replica_cluster(cluster, copies), read);
      if (part == 0)
        for (const Note& note : plan.notes)
          builder_.note(note);
      exchanges_.emplace_back(
          std::move(plan),
          PartReplicas{
              .copies = copies, .all = teams_.dense[stage].all, .computes = teams_.tensor[stage]},
          builder_, exchange_streams_);
    }
  } catch (const InputError& error) {
    of_passes.fail(kExchange, error.what());
  }

  // The matrix that embedding and head share is summed over first and last stage after the
  // exchange.
  void finish_exchanges() {
    for (PartExchange& exchange : exchanges_)
      exchange.add_dependencies();
    const TaskId shared = gradients_.add_sum_of_tied(last_of_);
    if (shared == kNone)
      return;
    exchanges_.front().add_shared_sum(shared, 0);
    exchanges_.back().add_shared_sum(
        shared,
        static_cast<LayerId>(job_.units.size() - job_.first_unit[job_.order.parts() - 1]) - 1);
  }

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
    if (job_.has_copies() && !leaves_by_unit() && job_.zero < 2 && !job_.order.both_ways)
      gradients_.add_sum(stage, stage_parameters(job_, stage), "stage", last_task_);
    last_of_.push_back(last_task_);
    for (const std::uint32_t part : left_)
      exchanges_[part].write_rest();
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
    const bool gathers =
        job_.zero == 3 && job_.has_copies() && pass.kind != PassKind::WeightGradient;
    const bool makes = pass.kind != PassKind::InputGradient && !is_forward(pass);
    if (job_.exchange) {
      add_exchanging_pass(stage, pass, makes && is_last);
      keep_ends(stage, pass);
      return;
    }
    const bool scatters = makes && job_.scatters_each_micro_batch();
    const bool leaves = makes && job_.has_copies() &&
                        (job_.zero == 3 || ((is_last || scatters) && leaves_by_unit()));
    const bool awaits = job_.awaits_blocks() && is_forward(pass) && !has_begun_[part];
    has_begun_[part] = true;
    begins_pass_ = true;
    first_task_ = kNone;
    if (gathers || leaves || awaits)
      add_units(stage, part, pass, {.gathers = gathers, .leaves = leaves, .awaits = awaits});
    else
      add_whole(stage, part, pass);
    keep_ends(stage, pass);
    if (scatters && !leaves)
      add_sums_before_next(stage, part);
  }

  // A part's first forward pass and the last one that makes its gradients are written layer by
  // layer between the tasks of its exchange; so are all passes of a single stage, as data-parallel
  // schedules write theirs.
  void add_exchanging_pass(std::uint32_t stage, const PipelinePass& pass, bool is_last) {
    const std::uint32_t part = part_of(job_.order, stage, pass.chunk);
    const bool is_first = is_forward(pass) && !has_begun_[part];
    has_begun_[part] = true;
    begins_pass_ = true;
    first_task_ = kNone;
    PartExchange* const exchange = is_first || is_last ? &exchanges_[part] : nullptr;
    if (exchange || job_.order.stages == 1)
      add_layers(stage, part, pass, exchange);
    else
      add_whole(stage, part, pass);
    if (is_first)
      exchange->write_until_pass();
    if (is_last) {
      exchange->write_last_communication();
      left_.push_back(part);
    }
  }

  void add_layers(std::uint32_t stage, std::uint32_t part, const PipelinePass& pass,
                  PartExchange* exchange) {
    const std::size_t first = job_.first_unit[part];
    const std::size_t count = job_.first_unit[part + 1] - first;
    for (std::size_t i = 0; i < count; ++i) {
      if (exchange)
        exchange->write_until_pass();
      const std::size_t unit = is_forward(pass) ? first + i : first + count - 1 - i;
      BesidePass beside = i + 1 == count ? beside_pass(part, pass) : BesidePass{};
      beside.in_layers += wait_of(pass.kind, job_.units[unit]);
      const TaskId computed =
          add_compute(stage, pass, PassLayers::of_unit(job_, unit, pass.kind), beside);
      if (exchange)
        exchange->pass(computed, last_task_);
    }
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
    Ends& ends = ends_of(part_of(job_.order, stage, pass.chunk), pass.micro_batch);
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

  // What a pass does unit by unit: gathers its parameters while the unit before computes, lets its
  // gradients leave behind it, or waits for what the step before has updated.
  struct OfUnits {
    bool gathers = false;
    bool leaves = false;
    bool awaits = false;
  };

  void add_units(std::uint32_t stage, std::uint32_t part, const PipelinePass& pass, OfUnits does) {
    const std::size_t first = job_.first_unit[part];
    const std::size_t count = job_.first_unit[part + 1] - first;
    const std::vector<StageBucket> buckets =
        does.leaves ? stage_buckets(job_, part) : std::vector<StageBucket>{};
    auto bucket = buckets.begin();
    for (std::size_t i = 0; i < count; ++i) {
      const ModelUnit& unit = job_.units[is_forward(pass) ? first + i : first + count - 1 - i];
      std::vector<TaskId> after;
      if (does.gathers && unit.parameters + unit.expert_parameters > 0)
        after = gather(stage, unit);
      const auto index = static_cast<std::size_t>(&unit - job_.units.data());
      BesidePass beside = i + 1 == count ? beside_pass(part, pass) : BesidePass{};
      beside.in_layers += wait_of(pass.kind, unit);
      const TaskId computed =
          add_compute(stage, pass, PassLayers::of_unit(job_, index, pass.kind), beside, after);
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

  void add_messages(std::uint32_t stage) {
    for (const PipelinePass& pass : job_.order.ranks[stage]) {
      const std::uint32_t part = part_of(job_.order, stage, pass.chunk);
      if (is_forward(pass) && part + 1 < job_.order.parts())
        add_message(stage, pass, part, part + 1);
      else if (!is_forward(pass) && pass.kind != PassKind::WeightGradient && part > 0)
        add_message(stage, pass, part, part - 1);
    }
  }

  void add_message(std::uint32_t stage, const PipelinePass& pass, std::uint32_t part,
                   std::uint32_t to_part) {
    const bool forward = to_part > part;
    const std::uint32_t to = stage_of(job_.order, to_part, pass.chunk);
    if (to == stage)
      return;
    const Ends& made = ends_of(part, pass.micro_batch);
    const Ends& waits = ends_of(to_part, pass.micro_batch);
    const std::size_t of = std::size_t{stage} * job_.order.chunks + pass.chunk;
    std::optional<Message>& message = messages_[2 * of + (forward ? 1 : 0)];
    if (!message)
      message = message_between(stage, to, message_size(job_, forward ? part : to_part),
                                teams_.messages(forward, pass.chunk, stage), forward);
    const TaskId sent =
        builder_.send(micro_batches_[pass.micro_batch], message->size, message->options);
    builder_.after(sent, {forward ? made.last_forward : made.last_backward});
    builder_.after(forward ? waits.first_forward : waits.first_backward, {sent});
  }

  Message message_between(std::uint32_t from, std::uint32_t to, Bytes whole, StreamId stream,
                          bool forward) {
    const Bytes size = whole / message_ratio(job_, from, to);
    const bool linked = !job_.links.empty();
    return {.size = job_.blocked > Seconds{} || linked ? Bytes{} : size,
            .options = {.stream = stream,
                        .team = teams_.between(from, to),
                        .overhead = linked ? time_on_link(from, to, size) : Seconds{},
                        .phase = forward ? "activations" : "their gradients"}};
  }

  // Of the messages of all ranks of a stage, which share it.
  Seconds time_on_link(std::uint32_t from, std::uint32_t to, Bytes size) const {
    const StageLink& link = job_.links[std::min(from, to)];
    return link.startup + size * job_.layout.stage_ranks() / link.bandwidth;
  }

  const HybridJob& job_;
  Builder builder_;
  Bytes element_;
  StageTeams teams_;
  StageGradients gradients_;
  std::vector<Ends> ends_;                        // by part and micro-batch
  std::vector<std::optional<Message>> messages_;  // by stage, chunk and way
  std::vector<std::string> micro_batches_;        // their names
  std::vector<TaskId> first_of_;                  // by stage
  std::vector<TaskId> last_of_;                   // of each stage's passes
  std::vector<std::pair<std::uint32_t, TaskId>> first_gathers_;
  std::vector<AwaitedUnit> awaited_;
  std::vector<bool> has_begun_;  // by part
  TaskId first_task_ = kNone;
  TaskId last_task_ = kNone;
  TaskId last_unit_ = kNone;
  TaskId before_last_unit_ = kNone;
  std::vector<PartExchange> exchanges_;  // by part; none: Megatron's exchange
  ExchangeStreams exchange_streams_;
  std::vector<std::uint32_t> left_;  // parts whose exchange goes on after the stage's passes
  std::vector<TaskId> before_next_;  // sums that the next pass waits for
  std::vector<PlannedPass> passes_;
  bool begins_pass_ = false;
};

}  // namespace

PlannedStep hybrid_step(const HybridJob& job, const CutModel& model, const Cluster& cluster,
                        const OptionReader& read) {
  const Workload passes = PassLayers::workload(job, model.workload);
  return HybridStep(job, model, passes, cluster, read).build();
}

}  // namespace stepcast
