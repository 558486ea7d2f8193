#include "tests/fuzz/checks.hpp"
#include "tests/fuzz/targets.hpp"
#include "traces/formats/stepcast/device_costs_reader.hpp"

namespace stepcast::fuzz {

bool accepts_kfac_costs(std::string_view text) {
  return accepts([&] {
    const KfacCosts costs = parse_kfac_costs(text, "input");
    for (const std::uint32_t a : {1U, 576U, 1U << 20U})
      for (const std::uint32_t g : {1U, 4609U})
        require(finite_and_not_negative(precondition_time(costs, a, g).value),
                "preconditioning takes a time");
  });
}

}  // namespace stepcast::fuzz
