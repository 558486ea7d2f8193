#include "sim/forecast/step_without.hpp"

#include <algorithm>
#include <functional>

namespace stepcast {

std::vector<Saving> savings_of(const StepWithout& what_if, Seconds step) {
  const auto saved = [&](Seconds without) { return (step - without) / step; };
  std::vector<Saving> savings{{"compute", saved(what_if.no_compute)},
                              {"network", saved(what_if.no_network)},
                              {"host", saved(what_if.no_host)},
                              {"pipeline bubble", saved(what_if.no_bubble)}};
  std::ranges::stable_sort(savings, std::ranges::greater{}, &Saving::share);
  return savings;
}

}  // namespace stepcast
