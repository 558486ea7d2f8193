#include "sim/engine/replayer.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "sim/engine/policy/negotiated_policy.hpp"

namespace stepcast {
namespace {

constexpr std::uint32_t kLongestPeriod = 8;
constexpr double kSteadyTolerance = 1e-9;  // of the iteration time
static_assert(kPhases <= kLongestPeriod);

bool communicates(const Program& program, StreamId stream) {
  const auto& steps = program.of_stream[stream];
  const auto is_communication = [&](StepId s) { return program.steps[s].is_communication(); };
  const auto count = std::ranges::count_if(steps, is_communication);
  if (count > 0 && static_cast<std::size_t>(count) != steps.size())
    throw std::logic_error("a stream holds both compute and communication");
  return count > 0;
}

}  // namespace

Replayer::Replayer(const Plan& plan, const Cluster& cluster, const EngineOptions& options)
    : plan_(plan),
      cluster_(cluster),
      options_(options),
      folding_(fold_ranks(plan, cluster, options)),
      program_(compile(plan, folding_, options.merge_compute)),
      network_(make_network_backend(options.fidelity, cluster, queue_)),
      lanes_(folding_.classes.size() * plan.streams.size()),
      communicating_(folding_.classes.size()) {
  for (StreamId stream = 0; stream < streams(); ++stream) {
    policies_.push_back(
        communicates(program_, stream)
            ? make_dispatch_policy(plan.streams[stream].rule, stream, program_, folding_, *this)
            : nullptr);
    for (ClassId id = 0; id < folding_.classes.size(); ++id)
      skip_foreign(id, stream);
  }
}

Timeline Replayer::run() {
  queue_.after({}, [this] {
    iteration(0);
    for (ClassId id = 0; id < folding_.classes.size(); ++id)
      for (StreamId stream = 0; stream < streams(); ++stream)
        try_start(id, stream);
  });
  queue_.run();
  if (!stopped_)
    report_deadlock();
  return timeline();
}

// ---- compute

Replayer::Lane& Replayer::lane_of(ClassId rank_class, StreamId stream) {
  return lanes_[rank_class * plan_.streams.size() + stream];
}

void Replayer::try_start(ClassId rank_class, StreamId stream) {
  const auto& order = program_.of_stream[stream];
  if (stopped_ || policies_[stream] || order.empty())
    return;
  Lane& lane = lane_of(rank_class, stream);
  if (lane.busy || lane.iteration >= options_.max_iterations || lane.position >= order.size())
    return;
  const StepId step = order[lane.position];
  if (!program_.has(step, rank_class))
    return;  // the class computes nothing on this stream
  Iteration& current = iteration(lane.iteration);
  const std::size_t where = step * program_.classes + rank_class;
  if (current.waits[where] > 0)
    return;
  lane.busy = true;
  lane.remaining = program_.steps[step].duration * folding_.classes[rank_class].compute_scale;
  lane.since = now();
  lane.slowness = slowness(rank_class);
  current.intervals[where].ready = current.intervals[where].start = lane.since;
  if (rank_class == 0 && stream == 0 && !current.begun()) {
    current.begin = lane.since;
    begins_.push_back(lane.since);
  }
  schedule_finish(rank_class, stream);
  look_for_steady_state();
}

void Replayer::schedule_finish(ClassId rank_class, StreamId stream) {
  Lane& lane = lane_of(rank_class, stream);
  const auto index = static_cast<std::uint32_t>(&lane - lanes_.data());
  queue_.at(lane.since + lane.remaining * lane.slowness,
            [this, index, version = ++lane.version] { finish_compute(index, version); });
}

void Replayer::finish_compute(std::uint32_t lane_index, std::uint32_t version) {
  Lane& lane = lanes_[lane_index];
  if (version != lane.version)
    return;
  const auto stream = static_cast<StreamId>(lane_index % plan_.streams.size());
  const auto rank_class = static_cast<ClassId>(lane_index / plan_.streams.size());
  const std::uint32_t number = lane.iteration;
  const StepId step = program_.of_stream[stream][lane.position];
  iteration(number).intervals[step * program_.classes + rank_class].end = now();
  lane.busy = false;
  advance(rank_class, stream);
  try_start(rank_class, stream);  // the next kernel is queued already when a collective is launched
  complete(number, step, rank_class);
}

void Replayer::advance(ClassId rank_class, StreamId stream) {
  Lane& lane = lane_of(rank_class, stream);
  if (++lane.position == program_.of_stream[stream].size()) {
    lane.position = 0;
    ++lane.iteration;
  }
  skip_foreign(rank_class, stream);
}

// Steps of groups that the class does not belong to are not on its lane.
void Replayer::skip_foreign(ClassId rank_class, StreamId stream) {
  const auto& order = program_.of_stream[stream];
  Lane& lane = lane_of(rank_class, stream);
  for (std::size_t tried = 0;
       tried < order.size() && !program_.has(order[lane.position], rank_class); ++tried)
    if (++lane.position == order.size()) {
      lane.position = 0;
      ++lane.iteration;
    }
}

double Replayer::slowness(ClassId rank_class) const {
  return communicating_[rank_class] > 0 ? 1 + cluster_.overlap.compute_slowdown : 1;
}

// The class has begun or ceased to communicate: its running compute goes on at another speed.
void Replayer::change_speed(ClassId rank_class) {
  for (StreamId stream = 0; stream < streams(); ++stream) {
    Lane& lane = lane_of(rank_class, stream);
    if (!lane.busy || lane.slowness == slowness(rank_class))
      continue;
    lane.remaining -= (now() - lane.since) / lane.slowness;
    lane.since = now();
    lane.slowness = slowness(rank_class);
    const StepId step = program_.of_stream[stream][lane.position];
    const Seconds total =
        program_.steps[step].duration * folding_.classes[rank_class].compute_scale;
    iteration(lane.iteration)
        .breakpoints.push_back(
            {step * program_.classes + rank_class, lane.since, total - lane.remaining});
    schedule_finish(rank_class, stream);
  }
}

// ---- communication

void Replayer::launch(std::span<const Operation> operations, Seconds extra) {
  if (stopped_)
    return;
  if (idle_running_.empty()) {
    idle_running_.push_back(static_cast<std::uint32_t>(running_.size()));
    running_.emplace_back();
  }
  const std::uint32_t slot = idle_running_.back();
  idle_running_.pop_back();
  running_[slot].operations.assign(operations.begin(), operations.end());
  const ProgramStep& first = program_.steps[operations.front().step];
  const PlannedCollective& planned = plan_.collectives[first.collective];
  Collective collective = planned.collective;
  collective.size = {};
  for (const Operation& operation : operations) {
    collective.size += size_of(operation);
    extra += plan_.collectives[program_.steps[operation.step].collective].overhead;
    for (const ClassId id : folding_.members[first.group])
      iteration(operation.iteration).intervals[operation.step * program_.classes + id].start =
          now();
  }
  if (!planned.ideal)
    begin_slowing(first.group);
  const Group& group = plan_.groups[first.group];
  const Seconds delay = group.size() > 1 && !planned.ideal
                            ? cluster_.software.collective_launch + extra + wait_for_room(first)
                            : Seconds{};
  network_->start(collective, group, delay, [this, slot] { finish_communication(slot); });
}

void Replayer::finish_communication(std::uint32_t running) {
  const std::vector<Operation> operations = std::move(running_[running].operations);
  idle_running_.push_back(running);
  const ProgramStep& first = program_.steps[operations.front().step];
  if (!plan_.collectives[first.collective].ideal)
    end_slowing(first.group);
  for (const Operation& operation : operations)
    for (const ClassId id : folding_.members[first.group]) {
      const std::size_t where = operation.step * program_.classes + id;
      iteration(operation.iteration).intervals[where].end = now();
      complete(operation.iteration, operation.step, id);
    }
  for (const Operation& operation : operations)
    policies_[first.stream]->finished(operation);
}

void Replayer::begin_slowing(GroupId group) {
  for (const ClassId id : folding_.members[group])
    if (++communicating_[id] == 1 && cluster_.overlap.compute_slowdown > 0)
      change_speed(id);
}

void Replayer::end_slowing(GroupId group) {
  for (const ClassId id : folding_.members[group])
    if (--communicating_[id] == 0 && cluster_.overlap.compute_slowdown > 0)
      change_speed(id);
}

// See Overlap::launch_wait; the slowest member decides.
Seconds Replayer::wait_for_room(const ProgramStep& step) {
  Seconds longest{};
  if (cluster_.overlap.launch_wait > 0)
    for (const ClassId id : folding_.members[step.group])
      longest = std::max(longest, running_task_time(id));
  return longest * cluster_.overlap.launch_wait;
}

// Time of the task that class `rank_class` computes now; 0 if none.
Seconds Replayer::running_task_time(ClassId rank_class) {
  const Lane& lane = lane_of(rank_class, 0);
  if (!lane.busy)
    return {};
  const double scale = folding_.classes[rank_class].compute_scale;
  const StepId step = program_.of_stream[0][lane.position];
  const Seconds remaining = lane.remaining - (now() - lane.since) / lane.slowness;
  const Seconds done = program_.steps[step].duration - remaining / scale;
  return plan_.graph.task(program_.task_at(step, done)).duration * scale;
}

bool Replayer::is_ready(Operation operation) const {
  return operation.iteration >= oldest_ && operation.iteration < known() &&
         at(operation.iteration).waiting_members[operation.step] == 0;
}

Bytes Replayer::size_of(Operation operation) const {
  return plan_.collectives[program_.steps[operation.step].collective].collective.size;
}

bool Replayer::may_fuse(Operation a, Operation b) const {
  const ProgramStep& first = program_.steps[a.step];
  const ProgramStep& second = program_.steps[b.step];
  const PlannedCollective& one = plan_.collectives[first.collective];
  const PlannedCollective& other = plan_.collectives[second.collective];
  return one.fusable && other.fusable && first.group == second.group &&
         one.collective.kind == CollectiveKind::AllReduce &&
         other.collective.kind == CollectiveKind::AllReduce &&
         one.collective.algorithm == other.collective.algorithm;
}

std::int32_t Replayer::priority_of(Operation operation) const {
  return plan_.collectives[program_.steps[operation.step].collective].priority;
}

void Replayer::wake_at(Seconds time, DispatchPolicy& policy) {
  queue_.at(time, [&policy] { policy.wake(); });
}

// Reads the gradients and writes the buffer, or the other way round.
Seconds Replayer::copy_time(Bytes size) const {
  const BytesPerSecond bandwidth = cluster_.device.memory_bandwidth;
  return bandwidth > BytesPerSecond{} ? size * 2.0 / bandwidth : Seconds{};
}

// ---- dependencies and iterations

Iteration& Replayer::iteration(std::uint32_t number) {
  while (known() <= number) {
    const std::uint32_t added = known();
    iterations_.push_back(new_iteration(program_, folding_, added));
    queue_.after({}, [this, added] { offer_free_communication(added); });
  }
  return iterations_[number - oldest_];
}

// Communication that waits for nothing is ready as soon as its iteration is known.
void Replayer::offer_free_communication(std::uint32_t number) {
  const auto& waits = number == 0 ? program_.waits_for_first : program_.waits_for;
  for (StepId step = 0; step < program_.steps.size(); ++step)
    if (program_.steps[step].is_communication())
      for (const ClassId id : folding_.members[program_.steps[step].group])
        if (waits[step * program_.classes + id] == 0)
          became_ready(number, step, id);
}

void Replayer::complete(std::uint32_t number, StepId step, ClassId rank_class) {
  --iteration(number).left;
  for (auto i = program_.same.offset[step]; i < program_.same.offset[step + 1]; ++i)
    release(number, program_.same.to[i], rank_class);
  if (number + 1 < options_.max_iterations)
    for (auto i = program_.next.offset[step]; i < program_.next.offset[step + 1]; ++i)
      release(number + 1, program_.next.to[i], rank_class);
  look_for_steady_state();
}

void Replayer::release(std::uint32_t number, StepId step, ClassId rank_class) {
  if (!program_.has(step, rank_class))
    return;
  if (--iteration(number).waits[step * program_.classes + rank_class] == 0)
    became_ready(number, step, rank_class);
}

void Replayer::became_ready(std::uint32_t number, StepId step, ClassId rank_class) {
  const StreamId stream = program_.steps[step].stream;
  if (!policies_[stream])
    return try_start(rank_class, stream);
  Iteration& current = iteration(number);
  current.intervals[step * program_.classes + rank_class].ready = now();
  if (--current.waiting_members[step] == 0)
    policies_[stream]->ready({number, step});
}

// ---- steady state

void Replayer::look_for_steady_state() {
  while (!stopped_ && unchecked_ < known() && at(unchecked_).finished()) {
    const bool last = unchecked_ + 1 >= options_.max_iterations;
    if (!last && begins_.size() <= unchecked_ + 1)
      return;
    for (auto period = shortest_period(); period <= kLongestPeriod && period_ == 0 && !last;
         ++period)
      if (repeats(unchecked_, period))
        period_ = period;
    stopped_ = period_ > 0 || last;
    ++unchecked_;
    forget_old_iterations();
  }
}

// A cycle whose phases take turns repeats no sooner.
std::uint32_t Replayer::shortest_period() const {
  const auto has_phases = [](const Stream& stream) {
    const auto* rule = std::get_if<Negotiated>(&stream.rule);
    return rule && rule->cycle > Seconds{};
  };
  return std::ranges::any_of(plan_.streams, has_phases) ? kPhases : 1;
}

// A period that nothing explains must show twice.
bool Replayer::repeats(std::uint32_t number, std::uint32_t period) const {
  if (number < period + (period > shortest_period() ? period : 0) || number - period < oldest_)
    return false;
  const Seconds now_taken = begins_[number + 1] - begins_[number];
  const Seconds then_taken = begins_[number + 1 - period] - begins_[number - period];
  const Seconds tolerance = now_taken * kSteadyTolerance;
  return now_taken - then_taken <= tolerance && then_taken - now_taken <= tolerance &&
         same_course(at(number - period), at(number), tolerance);
}

void Replayer::forget_old_iterations() {
  while (oldest_ + kLongestPeriod + 1 < unchecked_) {
    iterations_.pop_front();
    ++oldest_;
  }
}

// Of iterations `first` .. `end` - 1 the longest that takes no longer than their mean.
std::uint32_t Replayer::below_mean(std::uint32_t first, std::uint32_t end) const {
  const Seconds mean = (begins_[end] - begins_[first]) / (end - first);
  const auto length = [this](std::uint32_t number) {
    return begins_[number + 1] - begins_[number];
  };
  std::uint32_t best = end - 1;
  for (std::uint32_t number = first; number < end; ++number)
    if (length(number) <= mean * (1 + kSteadyTolerance) &&
        (length(number) > length(best) || length(best) > mean * (1 + kSteadyTolerance)))
      best = number;
  return best;
}

Timeline Replayer::timeline() const {
  const std::uint32_t last = unchecked_ - 1;
  const std::uint32_t end = begins_.size() > last + 1 ? last + 1 : last;
  const std::uint32_t span = std::max(1U, period_ > 0 ? period_ : end / 2);
  const Seconds mean = (begins_[end] - begins_[end - span]) / span;
  const std::uint32_t reported = period_ > 0 ? below_mean(end - span, end) : last;
  const Seconds length = period_ > 0 ? begins_[reported + 1] - begins_[reported] : mean;
  Timeline timeline{.classes = folding_.classes,
                    .class_of_rank = folding_.class_of_rank,
                    .iterations = last + 1,
                    .iteration_time = length,
                    .mean_excess = mean - length,
                    .steady = period_ > 0,
                    .begin = begins_[reported],
                    .intervals = {}};
  for (std::uint32_t i = end - span; i < end; ++i)
    timeline.worst_iteration_time =
        std::max(timeline.worst_iteration_time, begins_[i + 1] - begins_[i]);
  timeline.intervals[1] = task_intervals(plan_, program_, folding_, at(reported));
  timeline.intervals[0] =
      task_intervals(plan_, program_, folding_, at(reported > oldest_ ? reported - 1 : reported));
  return timeline;
}

}  // namespace stepcast
