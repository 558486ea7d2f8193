#pragma once

#include <string_view>
#include <vector>

#include "traces/formats/kineto/kineto_trace.hpp"

namespace stepcast {

/// What a user's or the profiler's annotation says about the work inside.
enum class Mark : std::uint8_t { None, Forward, Backward, Optimizer };

/// What was open on the thread when a host event began; indices of events, or kNoEvent.
struct Scope {
  std::uint32_t top_operator = kNoEvent;
  std::uint32_t node = kNoEvent;        ///< Outermost node of the backward graph.
  std::uint32_t module = kNoEvent;      ///< Innermost nn.Module.
  std::uint32_t collective = kNoEvent;  ///< Event with the arguments of a collective.
  Mark mark = Mark::None;

  bool operator==(const Scope&) const = default;
};

struct Scopes {
  /// Of a host event; device work has none.
  const Scope& around(std::uint32_t event) const { return distinct[of_event[event]]; }

  std::vector<Scope> distinct = {Scope{}};
  std::vector<std::uint32_t> of_event;  ///< Into these: events side by side have one.
  std::vector<bool> has_modules;        ///< Of a module: whether another one is called in it.
  /// Host events of each thread in order of (start, longest first).
  std::vector<std::vector<std::uint32_t>> by_thread;
};

/// Nesting of the host events, thread by thread.
Scopes find_scopes(const KinetoTrace& trace);

/// "autograd::engine::evaluate_function: AddmmBackward0", "AddmmBackward",
/// "torch::autograd::AccumulateGrad": a node of the backward graph.
bool is_autograd_node(std::string_view name);

}  // namespace stepcast
