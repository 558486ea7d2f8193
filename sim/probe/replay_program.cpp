#include "sim/probe/replay_program.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/schedule/issue_order.hpp"
#include "sim/probe/hardware_error.hpp"

namespace stepcast {
namespace {

constexpr std::uint64_t kSmallestCopy = 4;

bool is_member(const Plan& plan, TaskId id, Rank rank) {
  return find_group(plan.teams[plan.graph.task(id).team], rank).has_value();
}

/// Streams whose compute is the GPU's: those with forward tasks, or else the first. What computes
/// on others is the host's work beside it.
std::vector<bool> gpu_streams(const Plan& plan) {
  std::vector<bool> gpu(plan.streams.size());
  for (TaskId id = 0; id < plan.graph.size(); ++id)
    if (plan.graph.task(id).kind == TaskKind::Forward)
      gpu[plan.graph.task(id).stream] = true;
  if (std::ranges::find(gpu, true) == gpu.end())
    gpu.front() = true;
  return gpu;
}

/// Turns the tasks of one rank into steps.
class ProgramBuilder {
 public:
  ProgramBuilder(const ExportedPlan& exported, const ReplayCalibration& calibration, Rank rank)
      : exported_(exported),
        plan_(exported.plan),
        calibration_(calibration),
        rank_(rank),
        step_of_(plan_.graph.size(), kNone),
        gpu_streams_(gpu_streams(plan_)),
        rest_(plan_.streams.size()) {}

  /// `emulation`: none for real communication.
  ReplayProgram build(std::optional<Emulation> emulation) {
    program_.rank = rank_;
    for (const TaskId id : issue_order(plan_))
      if (is_member(plan_, id, rank_))
        add(id, emulation);
    if (program_.steps.empty())
      throw InputError(fmt::format("the plan has no task for rank {}", rank_));
    for (TaskId id = 0; id < plan_.graph.size(); ++id)
      plan_.graph.for_each_successor(id, [&](TaskId after) { wait(id, after, false); });
    for (const auto& [before, after] : plan_.next)
      wait(before, after, true);
    return std::move(program_);
  }

 private:
  void add(TaskId id, std::optional<Emulation> emulation) {
    const Task& task = plan_.graph.task(id);
    step_of_[id] = static_cast<std::uint32_t>(program_.steps.size());
    ReplayStep step{.task = id, .stream = task.stream};
    if (task.kind != TaskKind::Communication && !gpu_streams_[task.stream]) {
      step.timer = task.duration;
    } else if (task.kind != TaskKind::Communication) {
      Seconds& rest = rest_[task.stream];
      if (task.duration > Seconds{})
        step.products = products_for(task.duration + rest, calibration_.products, rest);
    } else if (!emulation) {
      step.collective = task.collective;
    } else {
      const CommunicationForecast& forecast = exported_.forecasts[task.collective];
      const Seconds time = forecast.wait + forecast.time;
      if (*emulation == Emulation::Copies)
        step.copies = copies_for(time, calibration_.copies[direction_of(task.stream)]);
      else
        step.timer = time;
    }
    program_.steps.push_back(std::move(step));
  }

  /// Order inside a stream needs no event.
  void wait(TaskId before, TaskId after, bool next_iteration) {
    if (step_of_[before] == kNone || step_of_[after] == kNone ||
        plan_.graph.task(before).stream == plan_.graph.task(after).stream)
      return;
    ReplayStep& waiting = program_.steps[step_of_[after]];
    (next_iteration ? waiting.waits_before : waiting.waits).push_back(before);
    program_.steps[step_of_[before]].awaited = true;
  }

  const ExportedPlan& exported_;
  const Plan& plan_;
  const ReplayCalibration& calibration_;
  Rank rank_;
  std::vector<std::uint32_t> step_of_;  // by task; kNone: not of this rank
  std::vector<bool> gpu_streams_;
  std::vector<Seconds> rest_;  // by stream
  ReplayProgram program_;
};

}  // namespace

ReplayMode replay_mode(std::uint32_t plan_gpus, std::uint32_t machine_gpus,
                       std::optional<std::uint32_t> asked, bool fixed_ranks) {
  if (fixed_ranks && plan_gpus != machine_gpus)
    throw InputError(
        fmt::format("MPI started {} ranks, but the plan is for {} GPUs; start as many, or one "
                    "process without MPI for emulated collectives",
                    machine_gpus, plan_gpus));
  if (asked && *asked != 1 && *asked != plan_gpus)
    throw InputError(fmt::format(
        "--gpus {}: the plan is for {} GPUs; replay it on as many, or on 1 with emulated "
        "collectives",
        *asked, plan_gpus));
  if (asked && *asked > machine_gpus)
    throw HardwareError(
        fmt::format("--gpus {}: this machine has {} GPU{}; --gpus 1 emulates the "
                    "collectives",
                    *asked, machine_gpus, machine_gpus == 1 ? "" : "s"));
  const bool real = plan_gpus > 1 && plan_gpus <= machine_gpus && asked.value_or(plan_gpus) > 1;
  return real ? ReplayMode::Real : ReplayMode::Emulated;
}

ReplayProgram emulated_program(const ExportedPlan& plan, const ReplayCalibration& calibration,
                               Emulation emulation) {
  return ProgramBuilder(plan, calibration, plan.rank).build(emulation);
}

ReplayProgram real_program(const ExportedPlan& plan, const ReplayCalibration& calibration,
                           Rank rank) {
  for (const PlannedCollective& planned : plan.plan.collectives) {
    if (!planned.collective.shares.empty())
      throw InputError(
          fmt::format("{} gives the ranks unequal shares of a collective, which is not replayed; "
                      "--gpus 1 emulates its communication",
                      plan.plan.schedule));
    if (planned.collective.kind == CollectiveKind::Send)
      throw InputError(fmt::format(
          "{} sends between neighbours, which is not replayed; --gpus 1 emulates its communication",
          plan.plan.schedule));
  }
  return ProgramBuilder(plan, calibration, rank).build(std::nullopt);
}

std::vector<std::uint32_t> products_for(Seconds time, std::span<const Seconds> products,
                                        Seconds& rest) {
  std::vector<std::uint32_t> counts(products.size(), 0);
  for (std::size_t i = 0; i < products.size() && time > Seconds{}; ++i) {
    const double fit = time / products[i];
    const double count = i + 1 == products.size() ? std::round(fit) : std::floor(fit);
    counts[i] = static_cast<std::uint32_t>(std::min(count, 1e9));
    time -= products[i] * counts[i];
  }
  rest = time;
  return counts;
}

std::vector<std::uint64_t> copies_for(Seconds time, const CopyRate& rate) {
  std::vector<std::uint64_t> copies;
  if (time < rate.startup / 2)
    return copies;
  const Seconds largest = rate.startup + Bytes{static_cast<double>(kLargestCopy)} / rate.bandwidth;
  const auto whole = static_cast<std::size_t>(std::min(std::floor(time / largest), 1e6));
  copies.assign(whole, kLargestCopy);
  const Seconds rest = time - largest * static_cast<double>(whole) - rate.startup;
  if (rest > Seconds{} || copies.empty()) {
    const double bytes = std::max(0.0, (rate.bandwidth * rest).value);
    const auto words = static_cast<std::uint64_t>(bytes) / kSmallestCopy * kSmallestCopy;
    copies.push_back(std::clamp(words, kSmallestCopy, kLargestCopy));
  }
  return copies;
}

}  // namespace stepcast
