#include "sim/probe/cuda/replay/player.hpp"

#include <algorithm>

#include "sim/probe/cuda/kernels.hpp"

namespace stepcast {
namespace {

/// Floats in the full buffer, at least one for each rank of the group.
std::uint64_t elements_of(const ExportedPlan& plan, const ReplayStep& step) {
  const double bytes = plan.plan.collectives[step.collective].collective.size.value;
  const std::uint32_t ranks = plan.plan.teams[plan.plan.graph.task(step.task).team].group_size();
  const auto floats = static_cast<std::uint64_t>(bytes / sizeof(float));
  return std::max<std::uint64_t>(1, floats / ranks) * ranks;
}

/// Timers stand on streams of greatest priority, as NCCL's kernels would: else a product that has
/// begun holds them up.
std::vector<CudaStream> streams_of(const ExportedPlan& plan, const ReplayProgram& program) {
  std::vector<bool> timed(plan.plan.streams.size());
  for (const ReplayStep& step : program.steps)
    if (step.timer > Seconds{})
      timed[step.stream] = true;
  std::vector<CudaStream> streams;
  for (const bool each : timed)
    streams.emplace_back(each ? CudaStream::Priority::Greatest : CudaStream::Priority::Usual);
  return streams;
}

}  // namespace

Player::Player(const ExportedPlan& plan, const ReplayProgram& program, const Member& member,
               ReplayLength length)
    : program_(program),
      member_(member),
      streams_(streams_of(plan, program)),
      step_of_(plan.plan.graph.size(), kNone),
      marks_(program.steps.size(), length) {
  for (std::uint32_t i = 0; i < program.steps.size(); ++i)
    step_of_[program.steps[i].task] = i;
  for (std::vector<CudaEvent>& parity : done_)
    for (std::size_t i = 0; i < program.steps.size(); ++i)
      parity.emplace_back(CudaEvent::Purpose::Ordering);
  make_stand_ins();
  make_buffers(plan);
  // What fills them runs in the default stream, for which the others do not wait.
  check(cudaDeviceSynchronize(), "the inputs of a replay");
}

void Player::make_stand_ins() {
  for (const ReplayStep& step : program_.steps) {
    if (!step.products.empty() && !products_.contains(step.stream))
      products_.emplace(step.stream, Products(streams_[step.stream]));
    if (!step.copies.empty() && !links_.contains(step.stream))
      links_.emplace(step.stream, HostLink());
  }
}

void Player::make_buffers(const ExportedPlan& plan) {
  std::map<StreamId, std::uint64_t> elements;
  for (const ReplayStep& step : program_.steps)
    if (step.collective != kNone)
      elements[step.stream] = std::max(elements[step.stream], elements_of(plan, step));
  for (const auto& [stream, count] : elements) {
    const std::size_t bytes = count * sizeof(float);
    const auto made = buffers_.emplace(stream, std::pair(Memory(bytes), Memory(bytes))).first;
    check(cudaMemset(made->second.first.get(), 0, bytes), "a buffer");
  }
}

const ReplayStep* Player::find(TaskId task) const {
  return step_of_[task] == kNone ? nullptr : &program_.steps[step_of_[task]];
}

void Player::open(const ReplayStep& step, std::uint32_t iteration) {
  const CudaStream& stream = streams_[step.stream];
  for (const TaskId before : step.waits)
    done_[iteration % 2][step_of_[before]].hold(stream);
  if (iteration > 0)
    for (const TaskId before : step.waits_before)
      done_[(iteration + 1) % 2][step_of_[before]].hold(stream);
  marks_.begin(step_of_[step.task], step.stream, iteration, stream);
}

void Player::play(const ReplayStep& step) const {
  const CudaStream& stream = streams_[step.stream];
  for (std::size_t product = 0; product < step.products.size(); ++product)
    for (std::uint32_t i = 0; i < step.products[product]; ++i)
      products_.at(step.stream).multiply(product);
  for (const std::uint64_t bytes : step.copies)
    links_.at(step.stream).copy(bytes, direction_of(step.stream), stream);
  if (step.timer > Seconds{})
    launch_timer(step.timer, stream.get());
}

void Player::communicate(const ReplayStep& step, const ExportedPlan& plan,
                         const Communicator& communicator, std::size_t index) const {
  const Collective& collective = plan.plan.collectives[step.collective].collective;
  const auto& [send, receive] = buffers_.at(step.stream);
  communicator.enqueue(index, collective.kind, elements_of(plan, step), collective.root,
                       send.as<float>(), receive.as<float>(), streams_[step.stream]);
}

void Player::close(const ReplayStep& step, std::uint32_t iteration) {
  const CudaStream& stream = streams_[step.stream];
  marks_.end(step_of_[step.task], iteration, stream);
  if (step.awaited)
    done_[iteration % 2][step_of_[step.task]].record(stream);
}

void Player::synchronise() const {
  for (const CudaStream& stream : streams_)
    stream.synchronise();
}

}  // namespace stepcast
