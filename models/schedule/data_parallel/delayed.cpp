#include <fmt/format.h>

#include "models/schedule/accumulation.hpp"
#include "models/schedule/passes.hpp"
#include "models/schedule/schedule_info.hpp"

namespace stepcast {
namespace {

// Forward and backward `times` times.
TaskId local_pass(Builder& builder, std::uint32_t times) {
  TaskId end = 0;
  for (std::uint32_t i = 0; i < times; ++i) {
    forward_pass(builder);
    end = backward_pass(builder).front();
  }
  return end;
}

// A round is `local_steps` steps, each updating the local weights. The all-reduce of a round begins
// when the round has ended and is applied after `delay` steps of the next one:
//   round time = max(local_steps compute, (local_steps - delay) compute + all-reduce)
// The plan's iteration is one round, a period of local_steps training steps; its all-reduce is that
// of the round before.
Plan build_delayed(const Workload& workload, const Cluster& cluster, const OptionReader& read) {
  const std::uint32_t steps = read.count("local_steps");
  const std::uint32_t delay = read.count("delay");
  const std::uint32_t accumulation = read.count(kAccumulation);
  if (delay > steps)
    read.fail("delay", fmt::format("expected at most local_steps ({}), found {}", steps, delay));
  Builder builder(read, workload, cluster);
  builder.stream("all-reduce");
  builder.passes(accumulation);
  TaskId reduced = kNone;
  if (const Bytes size = parameter_size(workload); size > Bytes{})
    reduced =
        builder.all_reduce("gradients of the round before", size, {.algorithm = read.algorithm()});
  TaskId end = 0;
  for (std::uint32_t step = 1; step <= steps; ++step) {
    if (step > 1)
      builder.end_step();
    end = local_pass(builder, accumulation);
    const TaskId update = builder.update(fmt::format("update of step {}", step));
    if (step == delay && reduced != kNone)
      builder.after(update, {reduced});
  }
  if (reduced != kNone)
    builder.next_after(reduced, {end});
  return std::move(builder).build();
}

// The all-reduce waits for nothing of its own iteration and costs compute nothing.
Plan build_ideal(const Workload& workload, const Cluster& cluster, const OptionReader& read) {
  Builder builder(read, workload, cluster);
  builder.stream("all-reduce");
  forward_pass(builder);
  const TaskId end = backward_pass(builder).front();
  const TaskId update = builder.update();
  if (const Bytes size = parameter_size(workload); size > Bytes{}) {
    const TaskId reduced = builder.all_reduce(
        "all gradients", size, {.algorithm = read.algorithm(), .ideal = true, .next_after = {end}});
    builder.after(update, {reduced});
  }
  return std::move(builder).build();
}

}  // namespace

ScheduleInfo delayed_schedule() {
  return {.name = "delayed",
          .summary = "local steps; the all-reduce of a round overlaps the next round",
          .source = "Zhou et al., DaSGD, 2020; LB-SGD is local_steps=1, delay=1",
          .options = {count_option("local_steps", "1", "steps between two all-reduces", kRepeats),
                      count_option("delay", "1",
                                   "steps after which the average is applied, 1 to local_steps",
                                   {.least = 1}),
                      count_option(kAccumulation, "1", "forward and backward passes in a step",
                                   kRepeats),
                      algorithm_option()},
          .build = build_delayed,
          .planned = false};
}

ScheduleInfo ideal_schedule() {
  return {.name = "ideal",
          .summary = "a bound, not a system: max(forward + backward, one fused all-reduce)",
          .source = "Peng et al., ByteScheduler, SOSP 2019: perfect pre-emption",
          .options = {algorithm_option()},
          .build = build_ideal,
          .bound = true};
}

}  // namespace stepcast
