#include "models/schedule/model_parallel/hybrid_step.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "models/schedule/builder.hpp"
#include "models/schedule/model_parallel/pass_layers.hpp"

namespace stepcast {
namespace {

constexpr const char* kInLayers = "messages in layers";

class HybridStep {
 public:
  HybridStep(const HybridJob& job, const CutModel& model, const Workload& passes,
             const Cluster& cluster, const OptionReader& read)
      : job_(job),
        builder_(read, passes, cluster),
        element_(model.transformer ? element_size(model.transformer->shape) : Bytes{4}),
        moves_(model.transformer ? model.transformer->law.elementwise
                                 : cluster.device.memory_bandwidth),
        ends_(std::size_t{job.order.parts()} * job.micro_batches()),
        first_of_(job.order.stages, kNone),
        reduced_(job.order.stages) {
    gradients_ = builder_.stream("gradients");
    gathers_ = builder_.stream("parameters");
    for (std::uint32_t stage = 0; stage < job.order.stages; ++stage) {
      tensor_.push_back(builder_.team(tensor_team(job.layout, stage)));
      copies_.push_back(builder_.team(copies_team(job.layout, stage)));
      if (job.layout.expert > 1)
        expert_copies_.push_back(builder_.team(expert_copies_team(job.layout, stage)));
    }
  }

  Plan build() && {
    for (std::uint32_t stage = 0; stage < job_.order.stages; ++stage)
      add_passes(stage);
    for (std::uint32_t stage = 0; stage < job_.order.stages; ++stage)
      add_messages(stage);
    add_tied_gradients();
    add_updates();
    return std::move(builder_).build();
  }

 private:
  // First and last task of a pass, forward and backward.
  struct Ends {
    TaskId first_forward = kNone, last_forward = kNone;
    TaskId first_backward = kNone, last_backward = kNone;
  };

  Ends& ends_of(std::uint32_t part, std::uint32_t micro_batch) {
    return ends_[std::size_t{part} * job_.micro_batches() + micro_batch];
  }

  bool has_copies() const { return job_.copies() > 1; }
  bool shares_all() const { return job_.zero > 0 && job_.shard == job_.copies(); }

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
    for (std::size_t i = 0; i < passes.size(); ++i)
      add_pass(stage, passes[i], last[passes[i].chunk] == i);
    if (has_copies() && !job_.overlap_gradients && job_.zero < 3)
      reduce(stage, stage_parameters(job_, stage), "stage", last_task_);
    waited_.push_back(last_task_);
  }

  static bool is_forward(const PipelinePass& pass) { return pass.kind == PassKind::Forward; }

  static Seconds wait_of(const PassKind kind, const ModelUnit& unit) {
    if (kind == PassKind::WeightGradient)
      return {};
    return kind == PassKind::Forward ? unit.forward_wait : unit.backward_wait;
  }

  void add_pass(std::uint32_t stage, const PipelinePass& pass, bool is_last) {
    const std::uint32_t part = part_of(job_.order, stage, pass.chunk);
    const bool gathers = job_.zero == 3 && has_copies() && pass.kind != PassKind::WeightGradient;
    const bool leaves = has_copies() && pass.kind != PassKind::InputGradient && !is_forward(pass) &&
                        (job_.zero == 3 || (is_last && job_.overlap_gradients));
    first_task_ = kNone;
    if (gathers || leaves)
      add_units(stage, part, pass, gathers, leaves);
    else
      add_whole(stage, part, pass);
    Ends& ends = ends_of(part, pass.micro_batch);
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
    Seconds wait{};
    for (std::size_t unit = job_.first_unit[part]; unit < job_.first_unit[part + 1]; ++unit)
      wait += wait_of(pass.kind, job_.units[unit]);
    add_compute(stage, pass, PassLayers::of_part(part, pass.kind), wait + blocked_by(part, pass));
  }

  // A pass whose input and output cross stages waits for both messages, where they block.
  Seconds blocked_by(std::uint32_t part, const PipelinePass& pass) const {
    if (pass.kind == PassKind::WeightGradient)
      return {};
    const double ends = (part > 0 ? 1 : 0) + (part + 1 < job_.order.parts() ? 1 : 0);
    return job_.blocked * ends;
  }

  void add_compute(std::uint32_t stage, const PipelinePass& pass, LayerId layer, Seconds wait,
                   const std::vector<TaskId>& after = {}) {
    builder_.compute_on(tensor_[stage]);
    last_task_ =
        is_forward(pass) ? builder_.forward(layer, after) : builder_.backward(layer, after);
    if (first_task_ == kNone)
      first_task_ = last_task_;
    if (wait > Seconds{})
      last_task_ = builder_.compute(kInLayers, wait, {.phase = kInLayers, .team = tensor_[stage]});
  }

  // Unit by unit: parameters are gathered while the unit before computes, gradients leave behind
  // their unit.
  void add_units(std::uint32_t stage, std::uint32_t part, const PipelinePass& pass, bool gathers,
                 bool leaves) {
    const std::size_t first = job_.first_unit[part];
    const std::size_t count = job_.first_unit[part + 1] - first;
    for (std::size_t i = 0; i < count; ++i) {
      const ModelUnit& unit = job_.units[is_forward(pass) ? first + i : first + count - 1 - i];
      std::vector<TaskId> after;
      if (gathers && unit.parameters + unit.expert_parameters > 0)
        after.push_back(gather(stage, unit));
      const auto index = static_cast<std::size_t>(&unit - job_.units.data());
      add_compute(stage, pass, PassLayers::of_unit(job_, index, pass.kind),
                  wait_of(pass.kind, unit), after);
      before_last_unit_ = last_unit_;
      last_unit_ = last_task_;
      if (leaves)
        reduce(stage, {unit.parameters, unit.expert_parameters}, unit.name, last_task_);
    }
  }

  // One unit ahead: when the unit before the one that computes is done.
  TaskId gather(std::uint32_t stage, const ModelUnit& unit) {
    const TaskId gathered =
        builder_.all_gather(unit.name, element_ * (unit.parameters + unit.expert_parameters),
                            {.stream = gathers_, .team = copies_[stage], .phase = "parameters"});
    if (before_last_unit_ != kNone && stage == last_stage_)
      builder_.after(gathered, {before_last_unit_});
    else
      first_gathers_.emplace_back(stage, gathered);
    last_stage_ = stage;
    return gathered;
  }

  void reduce(std::uint32_t stage, const RankParameters& parameters, const std::string& of,
              TaskId after) {
    reduce_over(stage, copies_[stage], parameters.dense, of, after);
    if (parameters.expert > 0 && job_.copies() > job_.layout.expert)
      reduce_over(stage, job_.layout.expert > 1 ? expert_copies_[stage] : copies_[stage],
                  parameters.expert, of, after);
  }

  void reduce_over(std::uint32_t stage, TeamId team, double parameters, const std::string& of,
                   TaskId after) {
    if (parameters == 0)
      return;
    const Bytes size{parameters * job_.gradient_bytes};
    const CommunicationOptions options{
        .stream = gradients_, .team = team, .phase = "gradients", .after = {after}};
    reduced_[stage].push_back(shares_all() ? builder_.reduce_scatter(of, size, options)
                                           : builder_.all_reduce(of, size, options));
  }

  // Neighbours on the ring of stages never send on the same stream, so that nobody's messages wait
  // for those it has yet to receive.
  StreamId stream_of(bool forward, const PipelinePass& pass, std::uint32_t sender) {
    const std::uint32_t p = job_.order.stages;
    const std::uint32_t colour = p % 2 == 1 && sender + 1 == p ? 2 : sender % 2;
    const std::uint32_t way = job_.order.folded ? pass.chunk % 2 : 0;
    const auto [known, is_new] = streams_.try_emplace({forward, way, colour}, 0);
    if (is_new)
      known->second =
          builder_.stream(fmt::format("{}{}{}", forward ? "activations " : "their gradients ",
                                      way == 0 ? "" : "back ", colour));
    return known->second;
  }

  TeamId pairs(std::uint32_t from, std::uint32_t to) {
    const auto [known, is_new] = pairs_.try_emplace({from, to}, 0);
    if (is_new)
      known->second = builder_.team(stage_pairs(job_.layout, from, to));
    return known->second;
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
    const std::uint32_t to = stage_of(job_.order, to_part);
    if (to == stage)
      return;
    const Ends& made = ends_of(part, pass.micro_batch);
    const Ends& waits = ends_of(to_part, pass.micro_batch);
    const TaskId sent = builder_.send(
        fmt::format("micro-batch {}", pass.micro_batch),
        job_.blocked > Seconds{} ? Bytes{} : message_size(job_, forward ? part : to_part),
        {.stream = stream_of(forward, pass, stage),
         .team = pairs(stage, to),
         .phase = forward ? "activations" : "their gradients",
         .after = {forward ? made.last_forward : made.last_backward}});
    builder_.after(forward ? waits.first_forward : waits.first_backward, {sent});
  }

  // First and last stage hold the matrix of embedding and head each.
  void add_tied_gradients() {
    if (!job_.tied || job_.order.stages == 1 || stage_of(job_.order, job_.order.parts() - 1) == 0)
      return;
    const std::uint32_t last = stage_of(job_.order, job_.order.parts() - 1);
    const Bytes size{job_.units.back().parameters * job_.gradient_bytes};
    std::vector<TaskId> after{waited_.front(), waited_[last]};
    for (const std::uint32_t stage : {0U, last})
      after.insert(after.end(), reduced_[stage].begin(), reduced_[stage].end());
    const TaskId summed = builder_.all_reduce(
        "embedding and head", size,
        {.stream = gradients_, .team = pairs(0, last), .phase = "gradients", .after = after});
    reduced_[0].push_back(summed);
    reduced_[last].push_back(summed);
  }

  void add_updates() {
    TaskId norm = kNone;
    if (job_.norm_barrier && builder_.cluster().ranks() > 1) {
      std::vector<TaskId> all = waited_;
      for (const auto& of_stage : reduced_)
        all.insert(all.end(), of_stage.begin(), of_stage.end());
      norm = builder_.all_reduce("norm", Bytes{4},
                                 {.stream = gradients_, .phase = "gradients", .after = all});
    }
    for (std::uint32_t stage = 0; stage < job_.order.stages; ++stage)
      add_update(stage, norm);
  }

  void add_update(std::uint32_t stage, TaskId norm) {
    const RankParameters held = stage_parameters(job_, stage);
    const double share = job_.zero > 0 ? job_.shard : 1;
    const double expert_share = std::max(1.0, share / job_.layout.expert);
    const double updated = held.dense / share + held.expert / expert_share;
    const Bytes traffic{updated * job_.settings.optimiser_bytes};
    const Seconds time = moves_ > BytesPerSecond{} ? traffic / moves_ : Seconds{};
    const TaskId update =
        builder_.compute("update", time, {.phase = "update", .team = tensor_[stage]});
    builder_.after(update, reduced_[stage]);
    if (norm != kNone)
      builder_.after(update, {norm});
    if (job_.zero == 3 && has_copies()) {
      for (const auto& [of_stage, gathered] : first_gathers_)
        if (of_stage == stage)
          builder_.next_after(gathered, {update});
    } else if (job_.zero > 0 && has_copies()) {
      gather_updated(stage, held, update);
    }
  }

  void gather_updated(std::uint32_t stage, const RankParameters& held, TaskId update) {
    const auto gather = [&](TeamId team, double parameters) {
      if (parameters == 0)
        return;
      CommunicationOptions options{
          .stream = gathers_, .team = team, .phase = "parameters", .after = {update}};
      const Bytes size = element_ * parameters;
      TaskId gathered = kNone;
      if (!job_.by_broadcasts)
        gathered = builder_.all_gather("updated", size, options);
      else
        for (options.root = 0; options.root < job_.shard; ++options.root)
          gathered = builder_.broadcast("updated", size / job_.shard, options);
      builder_.next_after(first_of_[stage], {gathered});
    };
    gather(
        shares_all() ? copies_[stage] : builder_.team(shard_team(job_.layout, stage, job_.shard)),
        held.dense);
    if (job_.copies() > job_.layout.expert)
      gather(job_.layout.expert > 1 ? expert_copies_[stage] : copies_[stage], held.expert);
  }

  const HybridJob& job_;
  Builder builder_;
  Bytes element_;
  BytesPerSecond moves_;  // of the optimiser's kernels
  StreamId gradients_ = 0;
  StreamId gathers_ = 0;
  std::map<std::tuple<bool, std::uint32_t, std::uint32_t>, StreamId> streams_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, TeamId> pairs_;
  std::vector<TeamId> tensor_, copies_, expert_copies_;  // by stage
  std::vector<Ends> ends_;                               // by part and micro-batch
  std::vector<TaskId> first_of_;                         // by stage
  std::vector<TaskId> waited_;                           // last task of each stage's passes
  std::vector<std::vector<TaskId>> reduced_;             // by stage
  std::vector<std::pair<std::uint32_t, TaskId>> first_gathers_;
  TaskId first_task_ = kNone;
  TaskId last_task_ = kNone;
  TaskId last_unit_ = kNone;
  TaskId before_last_unit_ = kNone;
  std::uint32_t last_stage_ = kNone;
};

}  // namespace

Plan hybrid_step(const HybridJob& job, const CutModel& model, const Cluster& cluster,
                 const OptionReader& read) {
  const Workload passes = PassLayers::workload(job, model.workload);
  return HybridStep(job, model, passes, cluster, read).build();
}

}  // namespace stepcast
