#include "sim/engine/policy/dispatch_policy.hpp"

#include "sim/engine/policy/by_priority_policy.hpp"
#include "sim/engine/policy/negotiated_policy.hpp"

namespace stepcast {

std::unique_ptr<DispatchPolicy> make_dispatch_policy(const DispatchRule& rule,
                                                     Dispatcher& dispatcher) {
  if (const auto* priority = std::get_if<ByPriority>(&rule))
    return std::make_unique<ByPriorityPolicy>(*priority, dispatcher);
  if (const auto* negotiated = std::get_if<Negotiated>(&rule))
    return std::make_unique<NegotiatedPolicy>(*negotiated, dispatcher);
  return nullptr;
}

}  // namespace stepcast
