#include "models/schedule/kfac/held.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace stepcast::kfac {
namespace {

constexpr Bytes kElement{4};  // fp32
constexpr std::string_view kFactor = "factor of ";
constexpr std::string_view kInverse = "inverse of ";

/// The matrices of a workload: A and G of each layer with factors, in order.
struct Matrices {
  std::vector<std::string> names;  ///< As labels have them: "conv1 (A)".
  std::vector<double> sides;
  std::unordered_map<std::string_view, std::size_t> numbers;  ///< By name.

  std::optional<std::size_t> find(std::string_view name) const {
    const auto found = numbers.find(name);
    return found == numbers.end() ? std::nullopt : std::optional(found->second);
  }
};

Matrices matrices_of(const Workload& workload) {
  Matrices matrices;
  for (const Layer& layer : workload.layers)
    if (layer.kronecker) {
      matrices.names.insert(matrices.names.end(), {layer.name + " (A)", layer.name + " (G)"});
      matrices.sides.insert(matrices.sides.end(), {static_cast<double>(layer.kronecker->a),
                                                   static_cast<double>(layer.kronecker->g)});
    }
  for (std::size_t i = 0; i < matrices.names.size(); ++i)
    matrices.numbers.emplace(matrices.names[i], i);
  return matrices;
}

/// Which matrices of one kind each rank holds.
class Holdings {
 public:
  Holdings(std::size_t ranks, const Matrices& matrices)
      : matrices_(matrices), held_(ranks, std::vector<bool>(matrices.sides.size())) {}

  void add(const Group& group, std::size_t matrix) {
    for (const Rank rank : group.ranks)
      held_[rank][matrix] = true;
  }

  Bytes most() const {
    Bytes most{};
    for (const std::vector<bool>& held : held_)
      most = std::max(most, size_of(held));
    return most;
  }

 private:
  Bytes size_of(const std::vector<bool>& held) const {
    Bytes sum{};
    for (std::size_t i = 0; i < held.size(); ++i)
      if (held[i])
        sum += kElement * (matrices_.sides[i] * matrices_.sides[i]);
    return sum;
  }

  const Matrices& matrices_;
  std::vector<std::vector<bool>> held_;  // by rank
};

/// Follows a plan in order: who makes and who receives what.
class Reading {
 public:
  Reading(const Plan& plan, const Matrices& matrices)
      : plan_(plan),
        matrices_(matrices),
        factors_(plan.groups.front().size(), matrices),
        inverses_(plan.groups.front().size(), matrices) {}

  void read(const Task& task) {
    backward_begun_ |= task.kind == TaskKind::Backward;
    const std::string_view label = plan_.labels[task.label];
    if (task.kind == TaskKind::OtherCompute && label.starts_with(kFactor))
      construct(task, label.substr(kFactor.size()));
    if (task.kind == TaskKind::OtherCompute && label.starts_with(kInverse))
      invert(task, label.substr(kInverse.size()));
    if (task.kind == TaskKind::Communication && label.starts_with(kInverse))
      receive(task, label.substr(kInverse.size()));
  }

  Bytes factors() const { return factors_.most(); }
  Bytes inverses() const { return inverses_.most(); }
  /// Factors are made within the passes: the first before the backward pass.
  bool in_passes() const { return in_passes_; }

 private:
  void construct(const Task& task, std::string_view name) {
    const auto matrix = matrices_.find(name);
    if (!matrix)
      return;
    factors_.add(plan_.groups[task.group], *matrix);
    in_passes_ |= !backward_begun_;
  }

  void invert(const Task& task, std::string_view name) {
    const auto matrix = matrices_.find(name);
    if (!matrix)
      return;
    const Group& group = plan_.groups[task.group];
    inverses_.add(group, *matrix);
    if (group.size() == 1)
      unsent_[group.ranks.front()].push_back(*matrix);
  }

  // One inverse is named; several together are those of the sender that have not been sent.
  void receive(const Task& task, std::string_view name) {
    const Group& group = plan_.groups[task.group];
    if (const auto matrix = matrices_.find(name))
      return inverses_.add(group, *matrix);
    const Rank sender = group.ranks[plan_.collectives[task.collective].collective.root];
    for (const std::size_t matrix : std::exchange(unsent_[sender], {}))
      inverses_.add(group, matrix);
  }

  const Plan& plan_;
  const Matrices& matrices_;
  Holdings factors_;
  Holdings inverses_;
  std::unordered_map<Rank, std::vector<std::size_t>> unsent_;  // by the rank that inverted
  bool backward_begun_ = false;
  bool in_passes_ = false;
};

Bytes output_gradients(const Layer& layer) {
  return layer.kronecker
             ? kElement * (static_cast<double>(layer.kronecker->rows) * layer.kronecker->g)
             : Bytes{};
}

Bytes kept_by_hooks(const Workload& workload, bool in_passes) {
  Bytes kept{};
  for (const Layer& layer : workload.layers)
    kept = in_passes ? std::max(kept, output_gradients(layer)) : kept + output_gradients(layer);
  return kept;
}

Bytes preconditioned(const Workload& workload) {
  Bytes sum{};
  for (const Layer& layer : workload.layers)
    if (layer.kronecker)
      sum += kElement * (static_cast<double>(layer.kronecker->a) * layer.kronecker->g);
  return sum;
}

// Factors and inverses are made by tasks of that kind; looking for them costs time for every rank.
bool computes_more_than_passes(const Plan& plan) {
  for (TaskId id = 0; id < plan.graph.size(); ++id)
    if (plan.graph.task(id).kind == TaskKind::OtherCompute)
      return true;
  return false;
}

}  // namespace

void add_held(MemoryUse& use, const Plan& plan, const Workload& workload) {
  if (!computes_more_than_passes(plan))
    return;
  const Matrices matrices = matrices_of(workload);
  if (matrices.names.empty())
    return;
  Reading reading(plan, matrices);
  for (TaskId id = 0; id < plan.graph.size(); ++id)
    reading.read(plan.graph.task(id));
  use.factors = reading.factors();
  use.inverses = reading.inverses();
  if (use.factors == Bytes{})
    return;
  use.kept_by_hooks = kept_by_hooks(workload, reading.in_passes());
  use.preconditioned = preconditioned(workload);
}

}  // namespace stepcast::kfac
