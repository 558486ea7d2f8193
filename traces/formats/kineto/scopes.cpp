#include "traces/formats/kineto/scopes.hpp"

#include <algorithm>

namespace stepcast {
namespace {

// Times are told to the nanosecond: what begins where something ended is not inside it.
constexpr Seconds kRounding{0.5e-9};

struct Open {
  Seconds end{};
  std::uint32_t inside = 0;  // Into Scopes::distinct.
};

Mark mark_of(std::string_view name, Mark around) {
  if (name.starts_with("Optimizer.") || name.find("optimizer") != std::string_view::npos)
    return Mark::Optimizer;
  if (name.starts_with("## backward"))
    return Mark::Backward;
  if (name.starts_with("## forward"))
    return Mark::Forward;
  return around;
}

/// The scope inside `event`, which itself lies in `around`.
Scope inside_of(const KinetoTrace& trace, std::uint32_t index, const Scope& around) {
  const KinetoEvent& event = trace.events[index];
  Scope scope = around;
  if (event.collective != kNoEvent)
    scope.collective = index;
  if (event.kind == KinetoKind::Annotation)
    scope.mark = mark_of(trace.name_of(event), around.mark);
  if (event.kind == KinetoKind::Module)
    scope.module = index;
  if (event.kind != KinetoKind::Operator)
    return scope;
  if (scope.top_operator == kNoEvent)
    scope.top_operator = index;
  if (scope.node == kNoEvent && is_autograd_node(trace.name_of(event)))
    scope.node = index;
  return scope;
}

void order_events(const KinetoTrace& trace, Scopes& scopes) {
  scopes.by_thread.resize(trace.threads.size());
  for (std::uint32_t i = 0; i < trace.events.size(); ++i)
    if (!is_device_work(trace.events[i].kind))
      scopes.by_thread[trace.events[i].thread].push_back(i);
  for (auto& order : scopes.by_thread)
    std::ranges::stable_sort(order, [&](std::uint32_t a, std::uint32_t b) {
      const KinetoEvent& x = trace.events[a];
      const KinetoEvent& y = trace.events[b];
      return x.start != y.start ? x.start < y.start : x.duration > y.duration;
    });
}

/// Most events change nothing of what is around them.
std::uint32_t find_or_add(const Scope& scope, std::uint32_t around, Scopes& scopes) {
  if (scope == scopes.distinct[around])
    return around;
  scopes.distinct.push_back(scope);
  return static_cast<std::uint32_t>(scopes.distinct.size() - 1);
}

void nest(const KinetoTrace& trace, const std::vector<std::uint32_t>& order, Scopes& scopes) {
  std::vector<Open> open;
  for (const std::uint32_t index : order) {
    const KinetoEvent& event = trace.events[index];
    while (!open.empty() && open.back().end <= event.start + kRounding)
      open.pop_back();
    const std::uint32_t around = open.empty() ? 0 : open.back().inside;
    scopes.of_event[index] = around;
    const Scope& scope = scopes.distinct[around];
    if (event.kind == KinetoKind::Module && scope.module != kNoEvent)
      scopes.has_modules[scope.module] = true;
    if (event.kind != KinetoKind::Runtime)
      open.push_back({event.end(), find_or_add(inside_of(trace, index, scope), around, scopes)});
  }
}

}  // namespace

Scopes find_scopes(const KinetoTrace& trace) {
  Scopes scopes{.of_event = std::vector<std::uint32_t>(trace.events.size()),
                .has_modules = std::vector<bool>(trace.events.size(), false)};
  order_events(trace, scopes);
  for (const auto& order : scopes.by_thread)
    nest(trace, order, scopes);
  return scopes;
}

bool is_autograd_node(std::string_view name) {
  if (name.starts_with("autograd::engine::evaluate_function: ") ||
      name == "torch::autograd::AccumulateGrad")
    return true;
  if (name.find("::") != std::string_view::npos)
    return false;
  const std::size_t last = name.find_last_not_of("0123456789");
  return last != std::string_view::npos && name.substr(0, last + 1).ends_with("Backward");
}

}  // namespace stepcast
