#include "sim/asynchronous/period.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

// The steady state, as of the engine's iterations (sim/engine/steady_state.cpp): nothing is drawn,
// so once all workers begin so many iterations as they began those of an earlier period, each later
// by the same time, they do so for ever, if the rules are the same again and reach no further back
// than what was compared.

namespace stepcast {
namespace {

constexpr double kTolerance = 1e-9;  // of the time of a period

struct Repetition {
  std::uint32_t from = 0;
  std::uint32_t period = 1;
};

// When each worker began an iteration; below zero where it left it out.
using Begins = std::vector<std::vector<Seconds>>;

bool is_later_by(Seconds time, const std::vector<Seconds>& row,
                 const std::vector<Seconds>& before) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    if ((row[i] < Seconds{}) != (before[i] < Seconds{}))
      return false;
    if (row[i] >= Seconds{} &&
        std::abs((row[i] - before[i] - time).value) > kTolerance * time.value)
      return false;
  }
  return true;
}

// The first iteration from which on each is as the one `period` before it, if there is such a one.
std::uint32_t repeats_from(const Begins& begins, std::uint32_t period) {
  const auto last = static_cast<std::uint32_t>(begins.size() - 1);
  const Seconds time =
      *std::ranges::max_element(begins[last]) - *std::ranges::max_element(begins[last - period]);
  std::uint32_t from = last - period + 1;
  while (from > 0 && is_later_by(time, begins[from - 1 + period], begins[from - 1]))
    --from;
  return from;
}

std::optional<Repetition> repetition_of(const Begins& begins, const Period& rules) {
  const auto rows = static_cast<std::uint32_t>(begins.size());
  for (std::uint32_t period = rules.iterations; 2 * period < rows; period += rules.iterations) {
    const bool is_explained = period == rules.iterations;
    const std::uint32_t seen =
        std::max({rules.memory, rows / 2, is_explained ? period : 2 * period});
    const std::uint32_t from = repeats_from(begins, period);
    if (from + period + seen <= rows)
      return Repetition{from, period};
  }
  return std::nullopt;
}

std::vector<std::uint64_t> less(std::vector<std::uint64_t> counts,
                                const std::vector<std::uint64_t>& before) {
  for (std::size_t i = 0; i < std::min(counts.size(), before.size()); ++i)
    counts[i] -= std::min(counts[i], before[i]);  // ends of runs may differ
  return counts;
}

// What came behind a run of fewer iterations.
ProtocolRun without(ProtocolRun run, const ProtocolRun& before) {
  run.makespan = run.makespan - before.makespan;
  for (std::size_t i = 0; i < run.iterations.size(); ++i)
    run.iterations[i] -= std::min(run.iterations[i], before.iterations[i]);
  for (std::size_t i = 0; i < kCauses; ++i)
    run.waiting[i] = run.waiting[i] - before.waiting[i];
  run.gaps = less(std::move(run.gaps), before.gaps);
  run.staleness = less(std::move(run.staleness), before.staleness);
  run.models_sent -= before.models_sent;
  run.models_between_nodes -= before.models_between_nodes;
  run.computing = run.computing - before.computing;
  return run;
}

CountedRun behind(std::uint32_t left_out, ProtocolJob job, ProtocolRun run, const RunJob& run_job) {
  const std::uint32_t counted = job.iterations - left_out;
  job.iterations = left_out;
  job.kept = 0;
  if (left_out > 0)
    run = without(std::move(run), run_job(job));
  return {.run = std::move(run), .iterations = counted};
}

}  // namespace

CountedRun steady_run(const ProtocolJob& job, const Period& period, const RunJob& run,
                      const RunLength& length) {
  ProtocolJob longer = job;
  if (period.memory == 0) {
    longer.iterations = period.whole(length.least);
    return {.run = run(longer), .iterations = longer.iterations, .steady = true};
  }
  const std::uint32_t reach = std::max(period.iterations, period.memory);
  const std::uint32_t most = period.whole(std::max(length.least, length.most));
  longer.iterations = std::min(period.whole(std::max(length.least, 2 * reach + 1)), most);
  for (;; longer.iterations = std::min(2 * longer.iterations, most)) {
    longer.kept = longer.iterations;
    ProtocolRun all = run(longer);
    const std::uint32_t count = longer.iterations;
    if (const auto found = repetition_of(all.begins, period)) {
      const std::uint32_t start = found->from > 0 ? found->from + period.memory : 0;
      if (start + found->period <= count) {
        const std::uint32_t left_out = start + (count - start) % found->period;
        CountedRun counted = behind(left_out, longer, std::move(all), run);
        counted.steady = true;
        return counted;
      }
    }
    if (count == most)
      return behind(count - period.whole(count / 2), longer, std::move(all), run);
  }
}

CountedRun first_run(const ProtocolJob& job, const Period& period, const RunJob& run,
                     const RunLength& length) {
  ProtocolJob kept = job;
  kept.kept = period.memory == 0 ? 0 : std::min(job.iterations, length.most);
  CountedRun counted{.run = run(kept), .iterations = job.iterations};
  const auto found = period.memory == 0 ? Repetition{period.first, period.iterations}
                                        : repetition_of(counted.run.begins, period);
  counted.steady = found && found->from == 0 && job.iterations % found->period == 0;
  return counted;
}

}  // namespace stepcast
