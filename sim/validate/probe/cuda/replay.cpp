#include "sim/validate/probe/cuda/replay.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <memory>

#include "models/schedule/issue_order.hpp"
#include "sim/validate/probe/cuda/gemm.hpp"
#include "sim/validate/probe/cuda/kernels.hpp"
#include "sim/validate/probe/cuda/on_device.hpp"
#include "sim/validate/probe/hardware_error.hpp"

namespace stepcast {
namespace {

constexpr std::array<std::uint64_t, 3> kSides{2048, 1024, 256};  // of the products, descending
constexpr std::uint32_t kWarmUps = 3;                            // iterations
constexpr std::uint32_t kTraced = 2;
constexpr std::uint64_t kSmallCopy = 4096;
constexpr Effort kCalibration{.warm_ups = 20,
                              .batches = 15,
                              .batch_time = Seconds{20e-3},
                              .budget = Seconds{0.6},
                              .most_repeats = 4000};
constexpr Seconds kWarmClocks{0.5};

KernelShape product_of(std::uint64_t side) {
  return {.family = KernelFamily::GemmFp32, .m = side, .n = side, .k = side};
}

/// The products that stand for compute, with operands and a handle of one stream.
class Products {
 public:
  explicit Products(const CudaStream& stream) : cublas_(stream) {
    for (const std::uint64_t side : kSides)
      operands_.emplace_back(product_of(side), stream);
  }

  void multiply(std::size_t product) const { operands_[product].multiply(cublas_); }

 private:
  Cublas cublas_;
  std::vector<GemmOperands> operands_;
};

/// A buffer on the device and one on the host, between which communication is emulated.
class HostLink {
 public:
  HostLink() : device_(kLargestCopy), host_(kLargestCopy, Memory::Place::PinnedHost) {}

  void copy(std::uint64_t bytes, std::size_t direction, const CudaStream& stream) const {
    void* to = direction == 0 ? device_.get() : host_.get();
    const void* from = direction == 0 ? host_.get() : device_.get();
    check(cudaMemcpyAsync(to, from, bytes,
                          direction == 0 ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost,
                          stream.get()),
          "an emulated collective");
  }

 private:
  Memory device_;
  Memory host_;
};

CopyRate copy_rate(const HostLink& link, std::size_t direction, const CudaStream& stream) {
  const auto time_of = [&](std::uint64_t bytes) {
    return measure(timed_on(stream, [&, bytes] { link.copy(bytes, direction, stream); }),
                   kCalibration)
        .time;
  };
  const Seconds small = time_of(kSmallCopy);
  const Seconds large = time_of(kLargestCopy);
  if (large <= small)
    throw HardwareError("copies between host and device take the same time at any size");
  const BytesPerSecond bandwidth =
      Bytes{static_cast<double>(kLargestCopy - kSmallCopy)} / (large - small);
  return {
      .startup = std::max(Seconds{}, small - Bytes{static_cast<double>(kSmallCopy)} / bandwidth),
      .bandwidth = bandwidth};
}

/// When a step of a traced iteration began and ended.
struct TracedStep {
  CudaEvent begin;
  CudaEvent end;
};

/// One GPU of a replay.
class Player {
 public:
  Player(const ExportedPlan& plan, const ReplayProgram& program, const Member& member,
         std::uint32_t iterations)
      : program_(program),
        member_(member),
        streams_(plan.plan.streams.size()),
        step_of_(plan.plan.graph.size(), kNone) {
    bool copies = false;
    std::vector<bool> computes(streams_.size());
    for (std::uint32_t i = 0; i < program.steps.size(); ++i) {
      const ReplayStep& step = program.steps[i];
      step_of_[step.task] = i;
      computes[step.stream] = computes[step.stream] || !step.products.empty();
      copies = copies || !step.copies.empty();
    }
    for (std::size_t stream = 0; stream < streams_.size(); ++stream) {
      if (computes[stream])
        products_.emplace(stream, Products(streams_[stream]));
      if (copies)
        links_.emplace_back();
    }
    for (int parity = 0; parity < 2; ++parity)
      for (std::size_t i = 0; i < program.steps.size(); ++i)
        done_[parity].emplace_back(CudaEvent::Purpose::Ordering);
    traced_.resize(kTraced);
    for (std::vector<TracedStep>& iteration : traced_)
      iteration.resize(program.steps.size());
    begins_.resize(kWarmUps + iterations + 1);
    make_buffers(plan);
  }

  const Member& member() const { return member_; }
  const ReplayStep* find(TaskId task) const {
    return step_of_[task] == kNone ? nullptr : &program_.steps[step_of_[task]];
  }

  /// Everything before a step's own work: what it waits for, and the marks.
  void open(const ReplayStep& step, std::uint32_t iteration) {
    const CudaStream& stream = streams_[step.stream];
    for (const TaskId before : step.waits)
      done_[iteration % 2][step_of_[before]].hold(stream);
    if (iteration > 0)
      for (const TaskId before : step.waits_before)
        done_[(iteration + 1) % 2][step_of_[before]].hold(stream);
    if (step.stream == 0 && begun_ == iteration) {
      begins_[iteration].record(stream);
      ++begun_;
    }
    if (TracedStep* traced = traced_step(step, iteration))
      traced->begin.record(stream);
  }

  /// Compute and emulated communication.
  void play(const ReplayStep& step) const {
    const CudaStream& stream = streams_[step.stream];
    for (std::size_t product = 0; product < step.products.size(); ++product)
      for (std::uint32_t i = 0; i < step.products[product]; ++i)
        products_.at(step.stream).multiply(product);
    for (const std::uint64_t bytes : step.copies)
      links_[step.stream].copy(bytes, direction_of(step.stream), stream);
    if (step.timer > Seconds{})
      launch_timer(static_cast<std::uint64_t>(step.timer.value * 1e9), stream.get());
  }

  void communicate(const ReplayStep& step, const ExportedPlan& plan,
                   const Communicator& communicator, std::size_t index) const {
    const Collective& collective = plan.plan.collectives[step.collective].collective;
    const auto& [send, receive] = buffers_.at(step.stream);
    communicator.enqueue(index, collective.kind, elements_of(plan, step), collective.root,
                         send.as<float>(), receive.as<float>(), streams_[step.stream]);
  }

  void close(const ReplayStep& step, std::uint32_t iteration) {
    const CudaStream& stream = streams_[step.stream];
    if (TracedStep* traced = traced_step(step, iteration))
      traced->end.record(stream);
    if (step.awaited)
      done_[iteration % 2][step_of_[step.task]].record(stream);
  }

  void synchronise() const {
    for (const CudaStream& stream : streams_)
      stream.synchronise();
  }

  ReplayMeasurement result() const {
    if (begun_ < begins_.size())
      throw HardwareError("the plan has no task on its first stream, whose begins are timed");
    ReplayMeasurement measured;
    for (std::size_t i = kWarmUps; i + 1 < begins_.size(); ++i)
      measured.iterations.push_back(elapsed(begins_[i], begins_[i + 1]));
    const CudaEvent& origin = begins_[begins_.size() - 1 - kTraced];
    measured.second_begin = elapsed(origin, begins_[begins_.size() - kTraced]);
    for (int k = 0; k < static_cast<int>(kTraced); ++k)
      for (std::size_t i = 0; i < program_.steps.size(); ++i) {
        const TracedStep& traced = traced_[static_cast<std::size_t>(k)][i];
        measured.intervals.push_back({.task = program_.steps[i].task,
                                      .iteration = k,
                                      .start = elapsed(origin, traced.begin),
                                      .end = elapsed(origin, traced.end)});
      }
    return measured;
  }

 private:
  /// Floats in the full buffer, at least one for each rank of the group.
  static std::uint64_t elements_of(const ExportedPlan& plan, const ReplayStep& step) {
    if (step.collective == kNone)
      return 0;
    const double bytes = plan.plan.collectives[step.collective].collective.size.value;
    const std::uint32_t ranks = plan.plan.groups[plan.plan.graph.task(step.task).group].size();
    const auto floats = static_cast<std::uint64_t>(bytes / sizeof(float));
    return std::max<std::uint64_t>(1, floats / ranks) * ranks;
  }

  /// Of real communication, for each stream that has any.
  void make_buffers(const ExportedPlan& plan) {
    std::map<StreamId, std::uint64_t> elements;
    for (const ReplayStep& step : program_.steps)
      if (step.collective != kNone)
        elements[step.stream] = std::max(elements[step.stream], elements_of(plan, step));
    for (const auto& [stream, count] : elements) {
      const std::size_t bytes = count * sizeof(float);
      const auto& made = buffers_.emplace(stream, std::pair(Memory(bytes), Memory(bytes)));
      check(cudaMemset(made.first->second.first.get(), 0, bytes), "a buffer");
    }
  }

  /// The last two complete iterations are traced.
  TracedStep* traced_step(const ReplayStep& step, std::uint32_t iteration) {
    const auto first = static_cast<std::uint32_t>(begins_.size() - 1 - kTraced);
    if (iteration < first || iteration >= first + kTraced)
      return nullptr;
    return &traced_[iteration - first][step_of_[step.task]];
  }

  const ReplayProgram& program_;
  Member member_;
  std::vector<CudaStream> streams_;
  std::vector<std::uint32_t> step_of_;  // by task; kNone: not of this rank
  std::map<std::size_t, Products> products_;
  std::vector<HostLink> links_;  // one for each stream, or none
  std::map<StreamId, std::pair<Memory, Memory>> buffers_;
  std::array<std::vector<CudaEvent>, 2> done_;  // of even and odd iterations, by step
  std::vector<std::vector<TracedStep>> traced_;
  std::vector<CudaEvent> begins_;  // of every iteration
  std::uint32_t begun_ = 0;
};

/// Communicators for every pair of stream and group that communicates, so that streams do not wait
/// for each other. All processes make them in the order of the plan.
std::map<std::pair<StreamId, GroupId>, Communicator> communicators_of(
    const ExportedPlan& plan, const std::vector<Member>& members, Team& team) {
  std::map<std::pair<StreamId, GroupId>, Communicator> made;
  for (TaskId id = 0; id < plan.plan.graph.size(); ++id) {
    const Task& task = plan.plan.graph.task(id);
    const std::pair key(task.stream, task.group);
    if (task.kind == TaskKind::Communication && !made.contains(key))
      made.emplace(key, Communicator(plan.plan.groups[task.group], members, team));
  }
  return made;
}

using Communicators = std::map<std::pair<StreamId, GroupId>, Communicator>;
using Players = std::vector<std::unique_ptr<Player>>;

template <class Action>
void for_each_with(const Players& players, TaskId task, Action action) {
  for (std::size_t i = 0; i < players.size(); ++i)
    if (const ReplayStep* step = players[i]->find(task)) {
      const OnDevice current(players[i]->member().device);
      action(*players[i], *step, i);
    }
}

void play_iteration(const ExportedPlan& plan, const std::vector<TaskId>& order,
                    const Players& players, const Communicators& communicators,
                    std::uint32_t iteration) {
  for (const TaskId id : order) {
    for_each_with(players, id, [&](Player& player, const ReplayStep& step, std::size_t) {
      player.open(step, iteration);
    });
    const Task& task = plan.plan.graph.task(id);
    const auto communicator = communicators.find({task.stream, task.group});
    const bool real = task.kind == TaskKind::Communication && communicator != communicators.end();
    if (real)
      Communicator::begin();
    for_each_with(players, id, [&](Player& player, const ReplayStep& step, std::size_t index) {
      if (real)
        player.communicate(step, plan, communicator->second, index);
      else
        player.play(step);
    });
    if (real)
      Communicator::end();
    for_each_with(players, id, [&](Player& player, const ReplayStep& step, std::size_t) {
      player.close(step, iteration);
    });
  }
}

/// An iteration lasts as long as that of the slowest process.
void take_slowest(ReplayMeasurement& measured, Team& team) {
  for (Seconds& iteration : measured.iterations)
    iteration = {team.largest(iteration.value)};
}

}  // namespace

ReplayCalibration calibrate_replay() {
  const CudaStream stream;
  const Products products(stream);
  const HostLink link;
  const auto product = [&](std::size_t i) {
    return timed_on(stream, [&, i] { products.multiply(i); });
  };
  for (Seconds spent{}; spent < kWarmClocks;)
    spent += product(0)(50);
  ReplayCalibration calibration;
  for (std::size_t i = 0; i < kSides.size(); ++i)
    calibration.products.push_back(measure(product(i), kCalibration).time);
  for (std::size_t direction = 0; direction < calibration.copies.size(); ++direction)
    calibration.copies[direction] = copy_rate(link, direction, stream);
  return calibration;
}

ReplayMeasurement replay_on_cuda(const ExportedPlan& plan,
                                 const std::vector<ReplayProgram>& programs,
                                 const std::vector<Member>& members, Team& team,
                                 std::uint32_t iterations) {
  const bool real = programs.front().steps.end() !=
                    std::ranges::find_if(programs.front().steps, [](const ReplayStep& step) {
                      return step.collective != kNone;
                    });
  const bool any_real = team.largest(real ? 1 : 0) > 0;
  const Communicators communicators =
      any_real ? communicators_of(plan, members, team) : Communicators{};
  Players players;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    const OnDevice current(members[i].device);
    players.push_back(std::make_unique<Player>(plan, programs[i], members[i], iterations));
    check(cudaDeviceSynchronize(), "the inputs of a replay");
  }
  team.barrier();
  const std::vector<TaskId> order = issue_order(plan.plan);
  for (std::uint32_t iteration = 0; iteration < kWarmUps + iterations + 1; ++iteration)
    play_iteration(plan, order, players, communicators, iteration);
  for (const auto& player : players) {
    const OnDevice current(player->member().device);
    player->synchronise();
  }
  const OnDevice current(players.front()->member().device);
  ReplayMeasurement measured = players.front()->result();
  take_slowest(measured, team);
  return measured;
}

}  // namespace stepcast
