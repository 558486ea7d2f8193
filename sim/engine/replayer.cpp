#include "sim/engine/replayer.hpp"

#include <algorithm>
#include <utility>

#include "sim/engine/network/one_at_a_time.hpp"
#include "sim/engine/process/simulation_process.hpp"
#include "sim/engine/steps.hpp"
#include "sim/timeline/window.hpp"

namespace stepcast {
namespace {

std::vector<char> streams_that_compute(const Program& program, std::size_t streams) {
  std::vector<char> compute(streams, 0);
  for (const ProgramStep& step : program.steps)
    if (!step.is_communication())
      compute[step.stream] = 1;
  return compute;
}

void move_on(std::vector<Interval>& intervals, Seconds later) {
  for (Interval& interval : intervals)
    if (interval.end >= Seconds{})
      interval = {interval.ready + later, interval.start + later, interval.end + later};
}

}  // namespace

// All but the places, which follow from the plan.
void pass(ResultPipe& pipe, Timeline& timeline) {
  auto& [classes, class_of_rank, iterations, time, excess, worst, steady, begin, engine, times,
         intervals, places] = timeline;
  pipe.pass(classes);
  pipe.pass(class_of_rank);
  pipe.pass(iterations);
  for (Seconds* each : {&time, &excess, &worst, &begin})
    pipe.pass(*each);
  pipe.pass(steady);
  pipe.pass(engine);
  pipe.pass(times);
  for (auto& each : intervals)
    pipe.pass(each);
}

Replayer::Replayer(const Plan& plan, const Cluster& cluster, const EngineOptions& options,
                   Folding folding, Asked asked)
    : plan_(plan),
      cluster_(cluster),
      options_(options),
      folding_(std::move(folding)),
      program_(compile(plan, folding_,
                       {.merge_compute = options.merge_compute,
                        .finds_tasks = cluster.overlap.launch_wait > 0,
                        .tells_host = cluster.overlap.communication_slowdown > 0})),
      lanes_(program_, folding_.classes.size(), plan.streams.size()),
      slowed_streams_(find_slowed_streams()),
      computes_(streams_that_compute(program_, plan.streams.size())),
      startups_(folding_.meetings.size()),
      clock_(find_clock()),
      communicating_(folding_.classes.size()),
      slow_ports_(plan, cluster, program_, folding_),
      asked_(asked),
      iterations_(
          plan, program_, options, folding_.classes.size(), asked == Asked::Intervals,
          asked == Asked::Intervals && steps_of(plan) > 1
              ? [this](const Iteration& each, Seconds length) { return longest_step(each, length); }
              : SteadyState::LongestStep{}) {
  for (StreamId stream = 0; stream < plan.streams.size(); ++stream)
    make_policies(stream);
  const bool ports_differ =
      slow_ports_.exist() && !(options.stragglers.empty() && options.slow_down.laws.empty());
  network_ = make_network_backend(options.fidelity, cluster, queue_, folding_, ports_differ);
  if (options.fidelity != Fidelity::Analytic && !options.policy && !slow_ports_.exist() &&
      communicates_one_at_a_time(plan, program_, folding_))
    network_ = std::make_unique<OneAtATime>(std::move(network_), queue_);
}

Timeline Replayer::run() {
  Timeline result = simulate_alone([this] {
    if (uses_simgrid(options_.engine, options_.fidelity, cluster_.ranks()))
      network_->run_on_simgrid(options_.fold);
    queue_.after({}, [this] { start_everything(); });
    // From here on each event ends a step, which releases others and lets its stream go on; what
    // can start does, and posts its own end. That goes on until the iterations repeat.
    queue_.run();
    if (!stopped_)
      report_deadlock();
    iterations_.keep_reported();
    Timeline simulated = timeline();
    simulated.engine = queue_.use();
    return simulated;
  });
  if (asked_ == Asked::Intervals && result.places.items() == 0)
    result.places = task_places(plan_, folding_);
  return result;
}

void Replayer::start_everything() {
  iteration(0);
  for (LaneId lane = 0; lane < folding_.classes.size() * plan_.streams.size(); ++lane)
    try_start(lane);
}

// ---- compute

void Replayer::try_start(LaneId lane) {
  if (stopped_ || lanes_.is_empty(lane) || lanes_.is_busy(lane) ||
      !is_in_order(lanes_.stream_of(lane)))
    return;
  const Lanes::Head head = lanes_.head(lane);
  if (!program_.steps[head.step].is_communication())
    return start_compute(lane, head);
  const TeamId team = program_.steps[head.step].team;
  try_meet({head.iteration, head.step, folding_.meeting(team, lanes_.class_of(lane))});
}

void Replayer::start_compute(LaneId lane, Lanes::Head head) {
  if (head.iteration >= iterations_.limit())
    return;
  const ClassId rank_class = lanes_.class_of(lane);
  Iteration& current = iteration(head.iteration);
  if (current.awaited.dependencies[program_.places.at(head.step, rank_class)] > 0)
    return;
  const Seconds start = now();
  lanes_.begin(lane, program_.steps[head.step].duration * scale_of(rank_class, head.iteration),
               slowness(rank_class, program_.steps[head.step].stream), start);
  begin_run(current, head.step, compute_run(current, head.step, rank_class));
  const bool begins = lane == clock_ && !current.begun();
  if (begins)
    iterations_.begin(current, start);
  finish_when_due(lane);
  set_ports(rank_class);
  if (begins)
    stop_if_enough();
}

void Replayer::finish_when_due(LaneId lane) {
  queue_.at(lanes_.end(lane),
            [this, lane, version = lanes_.version(lane)] { finish_compute(lane, version); });
}

void Replayer::finish_compute(LaneId lane, std::uint32_t version) {
  if (version != lanes_.version(lane))
    return;
  const Lanes::Head head = lanes_.head(lane);
  const ClassId rank_class = lanes_.class_of(lane);
  Iteration& current = iteration(head.iteration);
  end_run(current, head.step, compute_run(current, head.step, rank_class));
  lanes_.advance(lane);
  try_start(lane);  // the next kernel is queued already when a collective is launched
  complete(head.iteration, head.step, rank_class);
  set_ports(rank_class);
}

double Replayer::slowness(ClassId rank_class, StreamId stream) const {
  const bool is_slowed =
      communicating_[rank_class] > 0 && std::ranges::count(slowed_streams_, stream) > 0;
  return is_slowed ? 1 + cluster_.overlap.compute_slowdown : 1;
}

double Replayer::scale_of(ClassId rank_class, std::uint32_t number) const {
  const RankClass& ranks = folding_.classes[rank_class];
  return options_.slow_down.laws.empty()
             ? ranks.compute_scale
             : ranks.compute_scale * options_.slow_down.factor(ranks.representative, number);
}

// The class has begun or ceased to communicate: its running compute goes on at another speed.
void Replayer::change_speed(ClassId rank_class) {
  for (const StreamId stream : slowed_streams_) {
    const LaneId lane = lanes_.of(rank_class, stream);
    if (!lanes_.is_busy(lane))
      continue;
    const auto [number, id] = lanes_.head(lane);
    const ProgramStep& step = program_.steps[id];
    if (step.is_communication() || !lanes_.change_speed(lane, slowness(rank_class, stream), now()))
      continue;
    const double scale = folding_.classes[rank_class].compute_scale;
    const double work = scale_of(rank_class, number) / scale;
    const Seconds left = lanes_.remaining(lane, now()) / work;
    iteration(number).breakpoints.push_back(
        {program_.places.at(id, rank_class), now(), step.duration * scale - left});
    finish_when_due(lane);
  }
}

// Time of the task that class `rank_class` computes now; 0 if none.
Seconds Replayer::running_task_time(ClassId rank_class) {
  const LaneId lane = lanes_.of(rank_class, 0);
  if (!lanes_.is_busy(lane) || program_.steps[lanes_.head(lane).step].is_communication())
    return {};
  const auto [number, step] = lanes_.head(lane);
  const double scale = scale_of(rank_class, number);
  const Seconds done = program_.steps[step].duration - lanes_.remaining(lane, now()) / scale;
  return plan_.graph.task(program_.task_at(step, done)).duration * scale;
}

// The class may have begun or ceased to compute; see Overlap::communication_slowdown.
void Replayer::set_ports(ClassId rank_class) {
  if (!slow_ports_.exist())
    return;
  const LaneId lane = lanes_.of(rank_class, 0);
  const auto uses_device = [](const ProgramStep& step) {
    return !step.is_communication() && !step.on_host;
  };
  slow_ports_.set(rank_class,
                  lanes_.is_busy(lane) && uses_device(program_.steps[lanes_.head(lane).step]),
                  *network_);
}

// ---- dependencies and iterations

void Replayer::add_iterations(std::uint32_t last) {
  while (iterations_.known() <= last) {
    const std::uint32_t added = iterations_.known();
    iterations_.add(new_iteration(program_, folding_, added, now()));
    queue_.after({}, [this, added] { offer_free_communication(added); });
  }
}

void Replayer::offer_free_communication(std::uint32_t number) {
  for (const auto& [step, meeting] : program_.at_first_in(number).meetings)
    offer({number, step, meeting});
}

void Replayer::complete(std::uint32_t number, StepId step, ClassId rank_class) {
  Iteration& current = iteration(number);
  const bool is_last = --current.left == 0;
  if (is_last)
    forget_awaited(current);
  else
    release_within(current, step, rank_class);
  const Successors& next = program_.next;
  for (auto i = next.offset[step]; i < next.offset[step + 1]; ++i)
    if (number + next.later[i] < iterations_.limit())
      release(iteration(number + next.later[i]), next.to[i], rank_class);
  if (is_last)
    stop_if_enough();
}

void Replayer::release_within(Iteration& current, StepId step, ClassId rank_class) {
  const Successors& same = program_.same;
  for (auto i = same.offset[step]; i < same.offset[step + 1]; ++i)
    release(current, same.to[i], rank_class);
  if (const Successors& announced = program_.announced; !announced.to.empty())
    for (auto i = announced.offset[step]; i < announced.offset[step + 1]; ++i)
      announce(current.number, announced.to[i], rank_class);
}

// Where fewer than all predecessors are enough, the later ones find nothing left to wait for.
void Replayer::release(Iteration& current, StepId step, ClassId rank_class) {
  const std::uint32_t place = program_.places.find(step, rank_class);
  if (place == kNone || current.finished())
    return;
  std::uint32_t& waits = current.awaited.dependencies[place];
  if (waits > 0 && --waits == 0)
    became_ready(current, step, rank_class);
}

// The last member to announce it tells the policy.
void Replayer::announce(std::uint32_t number, StepId step, ClassId rank_class) {
  const Operation operation{number, step, folding_.meeting(program_.steps[step].team, rank_class)};
  if (--iteration(number).awaited.silent[waiting_place(step, operation.meeting)] == 0 &&
      !is_in_order(program_.steps[step].stream))
    policy_of(operation).announced(operation);
}

// Compute that does not head its lane is tried when it does.
void Replayer::became_ready(Iteration& current, StepId step, ClassId rank_class) {
  const ProgramStep& what = program_.steps[step];
  if (!what.is_communication()) {
    const LaneId lane = lanes_.of(rank_class, what.stream);
    if (const Lanes::Head head{current.number, step}; lanes_.head(lane) == head)
      try_start(lane);
    return;
  }
  current.ready[what.first_ready + program_.member(step, rank_class)] = now();
  const Operation operation{current.number, step, folding_.meeting(what.team, rank_class)};
  if (--members_awaited(current, step, operation.meeting) == 0)
    offer(operation);
}

// All its members are ready.
void Replayer::offer(const Operation& operation) {
  if (is_in_order(step_of(operation).stream))
    try_meet(operation);
  else
    policy_of(operation).ready(operation);
}

// Those with compute, but for work of the host beside that of the device.
std::vector<StreamId> Replayer::find_slowed_streams() const {
  std::vector<bool> is_slowed(plan_.streams.size());
  for (const ProgramStep& step : program_.steps)
    if (!step.is_communication())
      is_slowed[step.stream] = step.stream == 0 || !plan_.graph.task(step.first).on_host;
  std::vector<StreamId> streams;
  for (StreamId stream = 0; stream < is_slowed.size(); ++stream)
    if (is_slowed[stream])
      streams.push_back(stream);
  return streams;
}

LaneId Replayer::find_clock() const {
  const auto computes = [&](ClassId id, StreamId stream) {
    return std::ranges::any_of(program_.rows.of(id, stream), [&](StepId step) {
      return !program_.steps[step].is_communication();
    });
  };
  for (StreamId stream = 0; stream < plan_.streams.size(); ++stream)
    for (ClassId id = 0; id < folding_.classes.size(); ++id)
      if (computes(id, stream))
        return lanes_.of(id, stream);
  return 0;
}

Timeline Replayer::timeline() const {
  Timeline timeline{.classes = folding_.classes,
                    .class_of_rank = folding_.class_of_rank,
                    .intervals = {},
                    .places = {}};
  iterations_.tell_times(timeline);
  for (ClassId id = 0; id < timeline.classes.size(); ++id)
    timeline.classes[id].compute_scale = scale_of(id, iterations_.reported());
  if (asked_ == Asked::Intervals)
    add_intervals(timeline);
  return timeline;
}

// On the ranks that compute longest.
Seconds Replayer::longest_step(const Iteration& iteration, Seconds length) const {
  Timeline timeline{.classes = folding_.classes,
                    .class_of_rank = {},
                    .iteration_time = length,
                    .begin = iteration.begin,
                    .intervals = {},
                    .places = task_places(plan_, folding_)};
  timeline.intervals[1] = task_intervals(plan_, program_, folding_, iteration, timeline.places);
  return std::ranges::max(step_times(plan_, timeline, extremes_of(plan_, timeline).slowest));
}

void Replayer::add_intervals(Timeline& timeline) const {
  const std::uint32_t reported = iterations_.reported();
  const std::uint32_t before = reported > iterations_.oldest() ? reported - 1 : reported;
  timeline.places = task_places(plan_, folding_);
  timeline.intervals[1] =
      task_intervals(plan_, program_, folding_, iterations_.at(reported), timeline.places);
  timeline.intervals[0] =
      task_intervals(plan_, program_, folding_, iterations_.at(before), timeline.places);
  if (iterations_.later() > Seconds{})
    move_on(timeline.intervals[1], iterations_.later());
}

}  // namespace stepcast
