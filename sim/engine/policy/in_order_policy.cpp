#include "sim/engine/policy/in_order_policy.hpp"

#include <algorithm>

namespace stepcast {

InOrderPolicy::InOrderPolicy(StreamId stream, const Program& program, const Folding& folding,
                             Dispatcher& dispatcher)
    : program_(program),
      folding_(folding),
      dispatcher_(dispatcher),
      order_(program.of_stream[stream]),
      heads_(program.classes) {
  for (ClassId id = 0; id < program.classes; ++id)
    skip_foreign(id);
}

void InOrderPolicy::ready(Operation operation) {
  try_launch(operation);
}

void InOrderPolicy::finished(Operation operation) {
  const auto& members = folding_.members[program_.steps[operation.step].group];
  for (const ClassId id : members)
    advance(id);
  Operation tried{.iteration = operation.iteration, .step = operation.step};
  for (const ClassId id : members) {
    if (heads_[id].running || operation_at(heads_[id]) == tried)
      continue;
    tried = operation_at(heads_[id]);
    if (dispatcher_.is_ready(tried))
      try_launch(tried);
  }
}

Operation InOrderPolicy::operation_at(const Head& head) const {
  return {.iteration = head.iteration, .step = order_[head.position]};
}

void InOrderPolicy::advance(ClassId rank_class) {
  Head& head = heads_[rank_class];
  head.running = false;
  if (++head.position == order_.size()) {
    head.position = 0;
    ++head.iteration;
  }
  skip_foreign(rank_class);
}

// Operations of groups that the class does not belong to are not in its stream.
void InOrderPolicy::skip_foreign(ClassId rank_class) {
  Head& head = heads_[rank_class];
  for (std::size_t tried = 0;
       tried < order_.size() && !program_.has(order_[head.position], rank_class); ++tried)
    if (++head.position == order_.size()) {
      head.position = 0;
      ++head.iteration;
    }
}

void InOrderPolicy::try_launch(Operation operation) {
  const auto& members = folding_.members[program_.steps[operation.step].group];
  const auto heads_it = [&](ClassId id) {
    return !heads_[id].running && operation_at(heads_[id]) == operation;
  };
  if (!std::ranges::all_of(members, heads_it))
    return;
  for (const ClassId id : members)
    heads_[id].running = true;
  dispatcher_.launch(std::span(&operation, 1), {});
}

}  // namespace stepcast
