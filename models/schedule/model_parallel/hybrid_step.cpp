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
      if (shares_in_parts()) {
        shards_.push_back(builder_.team(shard_team(job.layout, stage, job.shard)));
        replicas_.push_back(builder_.team(replica_team(job.layout, stage, job.shard)));
      }
      if (job.layout.expert > 1)
        expert_copies_.push_back(builder_.team(expert_copies_team(job.layout, stage)));
    }
  }

  Plan build() && {
    for (std::uint32_t stage = 0; stage < job_.order.stages; ++stage)
      add_passes(stage);
    for (std::uint32_t stage = 0; stage < job_.order.stages; ++stage)
      add_messages(stage);
    if (job_.order.both_ways)
      add_gradients_of_both();
    else
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
  // Where two stages hold a part, its gradients leave when both are done.
  bool leaves_by_unit() const { return job_.overlap_gradients && !job_.order.both_ways; }
  // FSDP's hybrid sharding.
  bool shares_in_parts() const { return job_.zero == 3 && job_.shard < job_.copies(); }
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
    last_unit_ = before_last_unit_ = kNone;
    for (std::size_t i = 0; i < passes.size(); ++i)
      if (passes[i].paired)
        add_pair(stage, passes[i], passes[i + 1]), ++i;
      else
        add_pass(stage, passes[i], last[passes[i].chunk] == i);
    if (has_copies() && !leaves_by_unit() && job_.zero < 3 && !job_.order.both_ways)
      reduce(stage, stage_parameters(job_, stage), "stage", last_task_);
    waited_.push_back(last_task_);
  }

  // One behind the other on the stream, but both wait for both inputs, and what they send leaves
  // when both are done. Messages inside layers of either hide beside the compute of the other.
  void add_pair(std::uint32_t stage, const PipelinePass& forward, const PipelinePass& backward) {
    first_task_ = kNone;
    Seconds wait{};
    Seconds compute{};
    for (const PipelinePass& pass : {forward, backward}) {
      const std::uint32_t part = part_of(job_.order, stage, pass.chunk);
      for (std::size_t unit = job_.first_unit[part]; unit < job_.first_unit[part + 1]; ++unit) {
        wait += wait_of(pass.kind, job_.units[unit]);
        compute += time_of(pass.kind, job_.units[unit].compute);
      }
      add_compute(stage, pass, PassLayers::of_part(part, pass.kind), beside_passes(part, pass));
    }
    if (wait > compute)
      add_wait(stage, wait - compute);
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
    const bool gathers = job_.zero == 3 && has_copies() && pass.kind != PassKind::WeightGradient;
    const bool leaves = has_copies() && pass.kind != PassKind::InputGradient && !is_forward(pass) &&
                        (job_.zero == 3 || (is_last && leaves_by_unit()));
    first_task_ = kNone;
    if (gathers || leaves)
      add_units(stage, part, pass, gathers, leaves);
    else
      add_whole(stage, part, pass);
    keep_ends(stage, pass);
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
    Seconds wait{};
    for (std::size_t unit = job_.first_unit[part]; unit < job_.first_unit[part + 1]; ++unit)
      wait += wait_of(pass.kind, job_.units[unit]);
    add_compute(stage, pass, PassLayers::of_part(part, pass.kind),
                wait + beside_passes(part, pass));
  }

  // A pass whose input and output cross stages waits for both messages, where they block, and
  // unpacks and packs them, where they are compressed.
  Seconds beside_passes(std::uint32_t part, const PipelinePass& pass) const {
    if (pass.kind == PassKind::WeightGradient)
      return {};
    const double ends = (part > 0 ? 1 : 0) + (part + 1 < job_.order.parts() ? 1 : 0);
    return job_.blocked * ends + packing(part, pass);
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

  void add_compute(std::uint32_t stage, const PipelinePass& pass, LayerId layer, Seconds wait,
                   const std::vector<TaskId>& after = {}) {
    builder_.compute_on(tensor_[stage]);
    last_task_ =
        is_forward(pass) ? builder_.forward(layer, after) : builder_.backward(layer, after);
    if (first_task_ == kNone)
      first_task_ = last_task_;
    if (wait > Seconds{})
      add_wait(stage, wait);
  }

  void add_wait(std::uint32_t stage, Seconds wait) {
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
      const Seconds packed = i + 1 == count ? packing(part, pass) : Seconds{};
      add_compute(stage, pass, PassLayers::of_unit(job_, index, pass.kind),
                  wait_of(pass.kind, unit) + packed, after);
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
                            {.stream = gathers_,
                             .team = shares_in_parts() ? shards_[stage] : copies_[stage],
                             .phase = "parameters"});
    if (before_last_unit_ != kNone)
      builder_.after(gathered, {before_last_unit_});
    else
      first_gathers_.emplace_back(stage, gathered);
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
    const Bytes sent = size / job_.gradients.ratio;
    CommunicationOptions options{.stream = gradients_,
                                 .team = team,
                                 .overhead = job_.gradients.of_sum(size, job_.copies()),
                                 .phase = "gradients",
                                 .after = {after}};
    if (shares_in_parts()) {  // among neighbours, then with their counterparts
      options.team = shards_[stage];
      const TaskId scattered = builder_.reduce_scatter(of, sent, options);
      reduced_[stage].push_back(builder_.all_reduce(of, sent / job_.shard,
                                                    {.stream = gradients_,
                                                     .team = replicas_[stage],
                                                     .phase = "gradients",
                                                     .after = {scattered}}));
      return;
    }
    reduced_[stage].push_back(shares_all() ? builder_.reduce_scatter(of, sent, options)
                                           : builder_.all_reduce(of, sent, options));
  }

  // Neighbours on the ring of stages never send on the same stream, so that nobody's messages wait
  // for those it has yet to receive.
  StreamId stream_of(bool forward, const PipelinePass& pass, std::uint32_t sender) {
    const std::uint32_t p = job_.order.stages;
    const std::uint32_t colour = p % 2 == 1 && sender + 1 == p ? 2 : sender % 2;
    const bool back = job_.order.folded || job_.order.both_ways;
    const std::uint32_t way = back ? pass.chunk % 2 : 0;
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
    const std::uint32_t to = stage_of(job_.order, to_part, pass.chunk);
    if (to == stage)
      return;
    const Ends& made = ends_of(part, pass.micro_batch);
    const Ends& waits = ends_of(to_part, pass.micro_batch);
    const Bytes size =
        message_size(job_, forward ? part : to_part) / message_ratio(job_, stage, to);
    const bool linked = !job_.links.empty();
    const TaskId sent =
        builder_.send(fmt::format("micro-batch {}", pass.micro_batch),
                      job_.blocked > Seconds{} || linked ? Bytes{} : size,
                      {.stream = stream_of(forward, pass, stage),
                       .team = pairs(stage, to),
                       .overhead = linked ? time_on_link(stage, to, size) : Seconds{},
                       .phase = forward ? "activations" : "their gradients",
                       .after = {forward ? made.last_forward : made.last_backward}});
    builder_.after(forward ? waits.first_forward : waits.first_backward, {sent});
  }

  // Of the messages of all ranks of a stage, which share it.
  Seconds time_on_link(std::uint32_t from, std::uint32_t to, Bytes size) const {
    const StageLink& link = job_.links[std::min(from, to)];
    return link.startup + size * job_.layout.stage_ranks() / link.bandwidth;
  }

  // Parts that stages i and p - 1 - i both hold: their copies are all that both have.
  void add_gradients_of_both() {
    for (std::uint32_t stage = 0; 2 * stage < job_.order.stages; ++stage) {
      const std::uint32_t other = job_.order.stages - 1 - stage;
      const RankParameters held = stage_parameters(job_, stage);
      const auto sum = [&](const char* of, double parameters, const Team& one, const Team& two) {
        if (parameters == 0)
          return;
        const Bytes size{parameters * job_.gradient_bytes};
        const TeamId team = builder_.team(together(one, two));
        const TaskId summed =
            builder_.all_reduce(of, size / job_.gradients.ratio,
                                {.stream = gradients_,
                                 .team = team,
                                 .overhead = job_.gradients.of_sum(size, 2 * one.group_size()),
                                 .phase = "gradients",
                                 .after = {waited_[stage], waited_[other]}});
        reduced_[stage].push_back(summed);
        reduced_[other].push_back(summed);
      };
      sum("both directions", held.dense, copies_team(job_.layout, stage),
          copies_team(job_.layout, other));
      sum("experts", held.expert, expert_copies_team(job_.layout, stage),
          expert_copies_team(job_.layout, other));
    }
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
  std::vector<TeamId> shards_, replicas_;                // where parameters are shared in parts
  std::vector<Ends> ends_;                               // by part and micro-batch
  std::vector<TaskId> first_of_;                         // by stage
  std::vector<TaskId> waited_;                           // last task of each stage's passes
  std::vector<std::vector<TaskId>> reduced_;             // by stage
  std::vector<std::pair<std::uint32_t, TaskId>> first_gathers_;
  TaskId first_task_ = kNone;
  TaskId last_task_ = kNone;
  TaskId last_unit_ = kNone;
  TaskId before_last_unit_ = kNone;
};

}  // namespace

Plan hybrid_step(const HybridJob& job, const CutModel& model, const Cluster& cluster,
                 const OptionReader& read) {
  const Workload passes = PassLayers::workload(job, model.workload);
  return HybridStep(job, model, passes, cluster, read).build();
}

}  // namespace stepcast
