// The replayer's communications: who meets whom, what is launched, what a policy may ask.
#include <algorithm>
#include <stdexcept>
#include <utility>

#include "models/base/components.hpp"
#include "sim/engine/replayer.hpp"
#include "sim/engine/take_slot.hpp"

namespace stepcast {
// One policy for all classes that communicate with each other on the stream, directly or by way of
// others; one for all where the caller has his own; none where it runs in order.
void Replayer::make_policies(StreamId stream) {
  const auto make = [&] { return make_dispatch_policy(plan_.streams[stream].rule, *this); };
  auto& policies = policies_.emplace_back();
  auto own = options_.policy ? options_.policy(stream, *this) : nullptr;
  const bool is_own = own != nullptr;
  auto first = is_own ? std::move(own) : make();
  if (!first)
    return;
  if (computes_[stream] != 0)
    throw std::logic_error("a stream with a policy holds compute");
  Components components(folding_.classes.size());
  if (is_own)
    components.join(folding_.members.front());
  for (const ProgramStep& step : program_.steps)
    if (step.stream == stream)
      for (MeetingId id = folding_.first_meeting[step.team];
           id < folding_.first_meeting[step.team + 1]; ++id)
        components.join(folding_.meetings[id].members);
  policies.resize(folding_.classes.size());
  for (ClassId id = 0; id < policies.size(); ++id)
    if (auto& policy = policies[components.of(id)]; !policy)
      policy = first ? std::move(first) : make();
  component_of_class_.resize(policies_.size());
  for (ClassId id = 0; id < policies.size(); ++id)
    component_of_class_[stream].push_back(components.of(id));
}

DispatchPolicy& Replayer::policy_of(const Operation& operation) {
  const StreamId stream = step_of(operation).stream;
  return *policies_[stream][component_of_class_[stream][members_of(operation).front()]];
}

// In order: it starts when it heads the stream on every rank that takes part.
void Replayer::try_meet(Operation operation) {
  const StreamId stream = step_of(operation).stream;
  const auto heads_it = [&](ClassId id) {
    const LaneId lane = lanes_.of(id, stream);
    return !lanes_.is_busy(lane) &&
           lanes_.head(lane) == Lanes::Head{operation.iteration, operation.step};
  };
  if (!is_ready(operation) || !std::ranges::all_of(members_of(operation), heads_it))
    return;
  for (const ClassId id : members_of(operation))
    lanes_.occupy(lanes_.of(id, stream));
  launch(std::span(&operation, 1), {});
}

std::uint32_t Replayer::take_slot(std::span<const Operation> operations) {
  const std::uint32_t slot = stepcast::take_slot(running_, idle_running_, "communications");
  running_[slot].operations.assign(operations.begin(), operations.end());
  return slot;
}

void Replayer::launch(std::span<const Operation> operations, Seconds extra) {
  if (stopped_)
    return;
  start_communication(take_slot(operations), extra);
}

void Replayer::launch_on(Group group, std::span<const Operation> operations, Seconds extra) {
  if (stopped_)
    return;
  const std::uint32_t slot = take_slot(operations);
  running_[slot].made = team_of({std::move(group)});
  std::vector<ClassId>& members = running_[slot].members;
  for (const Operation& operation : operations) {
    if (folding_.meetings[operation.meeting].groups.size() > 1)
      throw std::logic_error("a group made on the spot, but ranks are folded");
    members.insert(members.end(), members_of(operation).begin(), members_of(operation).end());
  }
  start_communication(slot, extra);
}

Participants Replayer::participants_of(const Running& running) const {
  static constexpr std::uint32_t kOnly[] = {0};
  if (!running.members.empty())
    return {.team = &running.made, .groups = kOnly};
  const MeetingId id = running.operations.front().meeting;
  const Meeting& meeting = folding_.meetings[id];
  return {.team = &plan_.teams[meeting.team], .groups = meeting.groups, .id = id};
}

void Replayer::start_communication(std::uint32_t slot, Seconds extra) {
  Running& running = running_[slot];
  for (const Operation& operation : running.operations) {
    extra += plan_.collectives[step_of(operation).collective].overhead;
    begin_run(iteration(operation.iteration), operation.step, meeting_run(operation));
  }
  running.extra = extra;
  running.slows = !plan_.collectives[step_of(running.operations.front()).collective].ideal;
  if (running.slows)
    begin_slowing(running);
  if (cluster_.overlap.launch_wait > 0)
    queue_.late(now(), [this, slot] { transfer(slot); });  // what runs by then is waited for
  else
    transfer(slot);
}

void Replayer::transfer(std::uint32_t slot) {
  Running& running = running_[slot];
  const Participants participants = participants_of(running);
  Collective collective =
      plan_.collectives[step_of(running.operations.front()).collective].collective;
  collective.size = {};
  const bool is_made = participants.id == kNone;
  for (const Operation& operation : running.operations)
    collective.size = is_made ? std::max(collective.size, size_of(operation))
                              : collective.size + size_of(operation);
  const auto launched = [&](Seconds extra) {
    return launch_of(collective, participants.representative(), cluster_) + extra +
           wait_for_room(members_of(running));
  };
  Seconds delay{};
  if (participants.representative().size() > 1)
    delay = running.slows ? launched(running.extra) : running.extra;
  running.startup = startup_behind(running, collective, participants);
  Participants drawn = slow_transfer(collective, running.operations.front(), participants);
  drawn.without_startup = running.startup > Seconds{};
  slow_ports_.transfer_begins(*network_);
  network_->start(collective, drawn, delay, [this, slot] { finish_transfer(slot); });
}

// A link carries the next message while the start-up of one passes, so that this delays what waits
// for the message and not what comes behind it on its stream. Where a stream computes as well, the
// message is blocking.
Seconds Replayer::startup_behind(const Running& running, const Collective& collective,
                                 const Participants& participants) {
  const Operation& operation = running.operations.front();
  const ProgramStep& step = step_of(operation);
  if (collective.kind != CollectiveKind::Send || collective.size <= Bytes{} ||
      participants.id == kNone || computes_[step.stream] != 0)
    return {};
  Startup& known = startups_[operation.meeting];
  if (known.size != collective.size)
    known = {.size = collective.size,
             .time = message_startup(collective, participants.representative(), cluster_)};
  return known.time;
}

// A transfer that is slower by chance moves as if it were larger; none like it was prepared.
Participants Replayer::slow_transfer(Collective& collective, const Operation& operation,
                                     const Participants& participants) const {
  if (options_.slow_down.transfers.empty())
    return participants;
  collective.size =
      collective.size * options_.slow_down.transfer_factor(participants.representative().ranks,
                                                           operation.iteration, operation.step);
  return {.team = participants.team, .groups = participants.groups};
}

// Its bytes have moved.
void Replayer::finish_transfer(std::uint32_t slot) {
  const Running& running = running_[slot];
  slow_ports_.transfer_ends();
  if (running.slows)
    for (const ClassId id : members_of(running))
      --communicating_[id];
  if (running.startup > Seconds{})
    queue_.after(running.startup, [this, slot] { finish_communication(slot); });
  else
    finish_operations(running);
  for (const Operation& operation : running.operations)
    leave_stream(operation);
  if (running.slows)
    end_slowing(running);
  if (running.startup <= Seconds{})
    give_back(slot);
}

// The start-up behind it has passed.
void Replayer::finish_communication(std::uint32_t slot) {
  finish_operations(running_[slot]);
  give_back(slot);
}

void Replayer::finish_operations(const Running& running) {
  for (const Operation& operation : running.operations) {
    end_run(iteration(operation.iteration), operation.step, meeting_run(operation));
    for (const ClassId id : members_of(operation))
      complete(operation.iteration, operation.step, id);
  }
}

void Replayer::give_back(std::uint32_t slot) {
  running_[slot].members.clear();
  idle_running_.push_back(slot);
}

void Replayer::leave_stream(const Operation& operation) {
  const StreamId stream = step_of(operation).stream;
  if (!is_in_order(stream))
    return policy_of(operation).finished(operation);
  for (const ClassId id : members_of(operation))
    lanes_.advance(lanes_.of(id, stream));
  for (const ClassId id : members_of(operation))
    try_start(lanes_.of(id, stream));
}

void Replayer::begin_slowing(const Running& running) {
  for (const ClassId id : members_of(running))
    if (++communicating_[id] == 1 && cluster_.overlap.compute_slowdown > 0)
      change_speed(id);
}

// After what follows has been launched: where that slows the class down in turn, nothing changes.
void Replayer::end_slowing(const Running& running) {
  for (const ClassId id : members_of(running))
    if (communicating_[id] == 0 && cluster_.overlap.compute_slowdown > 0)
      change_speed(id);
}

// See Overlap::launch_wait; the slowest member decides.
Seconds Replayer::wait_for_room(const std::vector<ClassId>& members) {
  Seconds longest{};
  if (cluster_.overlap.launch_wait > 0)
    for (const ClassId id : members)
      longest = std::max(longest, running_task_time(id));
  return longest * cluster_.overlap.launch_wait;
}

bool Replayer::is_ready(Operation operation) const {
  if (operation.iteration < iterations_.oldest() || operation.iteration >= iterations_.known())
    return false;
  const Iteration& iteration = iterations_.at(operation.iteration);
  return iteration.finished() ||
         iteration.awaited.members[waiting_place(operation.step, operation.meeting)] == 0;
}

const Group& Replayer::group_of(Operation operation) const {
  const Meeting& meeting = folding_.meetings[operation.meeting];
  return plan_.teams[meeting.team].groups[meeting.groups.front()];
}

Bytes Replayer::size_of(Operation operation) const {
  return plan_.collectives[step_of(operation).collective].collective.size;
}

bool Replayer::may_fuse(Operation a, Operation b) const {
  const PlannedCollective& one = plan_.collectives[step_of(a).collective];
  const PlannedCollective& other = plan_.collectives[step_of(b).collective];
  return one.fusable && other.fusable && a.meeting == b.meeting &&
         one.collective.kind == CollectiveKind::AllReduce &&
         other.collective.kind == CollectiveKind::AllReduce &&
         one.collective.algorithm == other.collective.algorithm;
}

std::int32_t Replayer::priority_of(Operation operation) const {
  return plan_.collectives[step_of(operation).collective].priority;
}

Seconds Replayer::overhead_of(Operation operation) const {
  return plan_.collectives[step_of(operation).collective].overhead;
}

void Replayer::wake_at(Seconds time, DispatchPolicy& policy) {
  queue_.late(time, [&policy] { policy.wake(); });
}

// Reads the gradients and writes the buffer, or the other way round.
Seconds Replayer::copy_time(Bytes size) const {
  const BytesPerSecond bandwidth = cluster_.device.memory_bandwidth;
  return bandwidth > BytesPerSecond{} ? size * 2.0 / bandwidth : Seconds{};
}

}  // namespace stepcast
