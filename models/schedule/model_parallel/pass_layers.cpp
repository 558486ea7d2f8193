#include "models/schedule/model_parallel/pass_layers.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace stepcast {
namespace {

std::size_t half_of(PassKind kind) {
  return kind == PassKind::InputGradient ? 1 : kind == PassKind::WeightGradient ? 2 : 0;
}

void add(PartTimes& sum, const PartTimes& more) {
  sum.forward += more.forward;
  sum.input_gradient += more.input_gradient;
  sum.weight_gradient += more.weight_gradient;
  sum.recomputed += more.recomputed;
}

void add_layers(Workload& passes, const std::string& name, const PartTimes& times) {
  passes.layers.push_back({.name = name,
                           .kind = "Part",
                           .forward = times.forward,
                           .backward = time_of(PassKind::Backward, times)});
  passes.layers.push_back(
      {.name = name + " (inputs)", .kind = "Part", .backward = times.input_gradient});
  passes.layers.push_back(
      {.name = name + " (weights)", .kind = "Part", .backward = times.weight_gradient});
}

PartTimes sum_of(const HybridJob& job, std::size_t part) {
  PartTimes sum;
  for (std::size_t unit = job.first_unit[part]; unit < job.first_unit[part + 1]; ++unit)
    add(sum, job.units[unit].compute);
  return sum;
}

}  // namespace

LayerId PassLayers::of_part(std::size_t part, PassKind kind) {
  return static_cast<LayerId>(3 * part + half_of(kind));
}

LayerId PassLayers::of_unit(const HybridJob& job, std::size_t unit, PassKind kind) {
  return of_part(job.order.parts() + unit, kind);
}

Workload PassLayers::workload(const HybridJob& job, const Workload& model) {
  Workload passes = model;
  passes.layers.clear();
  for (std::size_t part = 0; part < job.order.parts(); ++part) {
    const PartTimes sum = sum_of(job, part);
    add_layers(passes, fmt::format("{} {}", job.order.chunks > 1 ? "part" : "stage", part), sum);
  }
  for (const ModelUnit& unit : job.units)
    add_layers(passes, unit.name, unit.compute);
  return passes;
}

std::vector<double> PassLayers::recomputed(const HybridJob& job) {
  if (std::ranges::none_of(
          job.units, [](const ModelUnit& unit) { return unit.compute.recomputed > Seconds{}; }))
    return {};
  std::vector<double> shares;
  const auto add_shares = [&](const PartTimes& times) {
    const auto share = [&](Seconds backward) {
      return backward > Seconds{} ? times.recomputed / backward : 0;
    };
    shares.insert(shares.end(),
                  {share(time_of(PassKind::Backward, times)), share(times.input_gradient), 0});
  };
  for (std::size_t part = 0; part < job.order.parts(); ++part)
    add_shares(sum_of(job, part));
  for (const ModelUnit& unit : job.units)
    add_shares(unit.compute);
  return shares;
}

}  // namespace stepcast
