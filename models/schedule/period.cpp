#include "models/schedule/period.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/schedule/memory.hpp"
#include "models/schedule/plan_edit.hpp"

namespace stepcast {
namespace {

void check_size(std::span<const Plan> kinds, std::span<const std::uint32_t> order) {
  constexpr std::uint64_t kMostTasks = 2'000'000;
  std::uint64_t tasks = 0;
  for (const std::uint32_t kind : order)
    tasks += kinds[kind].graph.size();
  if (tasks > kMostTasks)
    throw InputError(
        fmt::format("{}: a period of {} steps would be a plan of {} tasks; expected intervals that "
                    "make at most {}",
                    kinds[order.front()].schedule, order.size(), tasks, kMostTasks));
}

}  // namespace

Plan period_of(std::span<const Plan> kinds, std::span<const std::uint32_t> order) {
  assert(!order.empty() &&
         std::ranges::all_of(kinds, [](const Plan& k) { return k.next.empty(); }));
  check_size(kinds, order);
  PlanEdit edit(kinds[order.front()]);
  for (const Plan& kind : kinds)
    edit.adopt(kind);
  bool is_first = true;
  for (const std::uint32_t index : order) {
    const Plan& kind = kinds[index];
    if (!std::exchange(is_first, false))
      edit.go_on(kind);
    edit.result().memory = larger_of(edit.result().memory, kind.memory);
    for (TaskId id = 0; id < kind.graph.size(); ++id)
      edit.keep(id);
  }
  return std::move(edit).apply();
}

}  // namespace stepcast
