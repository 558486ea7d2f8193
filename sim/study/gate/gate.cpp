#include "sim/study/gate/gate.hpp"

#include <algorithm>
#include <functional>
#include <map>

#include <fmt/format.h>

#include "models/base/enum_name.hpp"
#include "models/base/error.hpp"

namespace stepcast {
namespace {

using Naming = std::function<std::string(const WrittenResult&)>;
using ByName = std::map<std::string, const WrittenResult*>;

std::string job_of(const WrittenResult& result) {
  return fmt::format("{} on {}, {} x {} GPUs, batch {}, {}", result.workload, result.cluster,
                     result.nodes, result.gpus_per_node, result.batch, result.fidelity);
}

/// The job of all results, if it is one.
std::string common_job(const std::vector<WrittenResult>& baseline,
                       const std::vector<WrittenResult>& results) {
  const std::string job = job_of(baseline.front());
  const auto same = [&job](const WrittenResult& result) { return job_of(result) == job; };
  return std::ranges::all_of(baseline, same) && std::ranges::all_of(results, same) ? job : "";
}

std::string with(std::string name, const std::map<std::string, std::string>& settings) {
  for (const auto& [key, value] : settings)
    name += fmt::format(" {}={}", key, value);
  return name;
}

/// None if two results have one name.
std::optional<ByName> find_by_name(const std::vector<WrittenResult>& results, const Naming& name) {
  ByName by_name;
  for (const WrittenResult& result : results)
    if (!by_name.emplace(name(result), &result).second)
      return std::nullopt;
  return by_name;
}

/// The shortest names that tell the results of both files apart.
Naming naming_of(const std::vector<WrittenResult>& baseline,
                 const std::vector<WrittenResult>& results, bool one_job) {
  const Naming plain = [one_job](const auto& result) {
    return one_job ? result.schedule : result.schedule + ": " + job_of(result);
  };
  const Naming by_sweep = [plain](const auto& result) {
    return with(plain(result), result.combination);
  };
  const Naming by_options = [by_sweep](const auto& result) {
    return with(by_sweep(result), result.options);
  };
  for (const Naming& naming : {plain, by_sweep, by_options})
    if (find_by_name(baseline, naming) && find_by_name(results, naming))
      return naming;
  throw InputError(
      "gate: expected results that can be told apart, found two of one job, schedule "
      "and options in a file");
}

GateCase compared(const std::string& name, const WrittenResult& before, const WrittenResult* now,
                  double most) {
  GateCase found{.name = name, .before = before.iteration_time, .outcome = GateOutcome::Missing};
  if (now == nullptr)
    return found;
  found.now = now->iteration_time;
  found.change = now->iteration_time / before.iteration_time - 1;
  found.outcome = found.change > most ? GateOutcome::Slower : GateOutcome::Passed;
  return found;
}

}  // namespace

bool Gate::passed() const {
  return std::ranges::all_of(cases, [](const GateCase& found) {
    return found.outcome == GateOutcome::Passed || found.outcome == GateOutcome::New;
  });
}

Gate compare_results(const std::vector<WrittenResult>& baseline,
                     const std::vector<WrittenResult>& results, double most) {
  Gate gate{.most = most, .job = common_job(baseline, results), .cases = {}};
  const Naming name = naming_of(baseline, results, !gate.job.empty());
  ByName now = *find_by_name(results, name);
  for (const WrittenResult& before : baseline) {
    const auto found = now.extract(name(before));
    gate.cases.push_back(compared(name(before), before, found ? found.mapped() : nullptr, most));
  }
  if (now.size() == results.size())
    throw InputError(
        fmt::format("gate: expected a case that both files have; the first of the "
                    "baseline is \"{}\", the first of the results \"{}\"",
                    gate.cases.front().name, name(results.front())));
  for (const WrittenResult& result : results)
    if (now.contains(name(result)))
      gate.cases.push_back({.name = name(result),
                            .before = {},
                            .now = result.iteration_time,
                            .outcome = GateOutcome::New});
  return gate;
}

WrittenResult written(const Forecast& forecast) {
  return {.workload = forecast.workload,
          .cluster = forecast.cluster,
          .nodes = forecast.nodes,
          .gpus_per_node = forecast.gpus_per_node,
          .batch = forecast.batch,
          .fidelity = name_of(forecast.fidelity),
          .schedule = forecast.schedule,
          .options = {forecast.options.begin(), forecast.options.end()},
          .combination = {},
          .iteration_time = forecast.iteration_time};
}

std::string name_of(GateOutcome outcome) {
  return name_among({"passed", "slower", "missing", "new"}, outcome);
}

}  // namespace stepcast
