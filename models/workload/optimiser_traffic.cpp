#include "models/workload/optimiser_traffic.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"

namespace stepcast {
namespace {

struct Traffic {
  std::string_view optimiser;
  double values;  ///< Read and written for each parameter.
};

// A fused kernel touches each value once. PyTorch's operations of one step, by torch/optim of 1.4
// to 1.8 and transformers/optimization.py, each with what it reads + writes:
//   zero_grad        grad.zero_                       0 + 1
//   sgd              p.add_(grad)                     2 + 1
//   momentum         buf.mul_                         1 + 1
//                    buf.add_(grad), p.add_(buf)      2 + 1 each
//   adam, adamw      exp_avg.mul_, exp_avg_sq.mul_    1 + 1 each
//                    exp_avg.add_(grad)               2 + 1
//                    exp_avg_sq.addcmul_(grad, grad)  2 + 1
//                    exp_avg_sq.sqrt(), .add_(eps)    1 + 1 each
//                    p.addcdiv_(exp_avg, denominator) 3 + 1
//   adam             the root over its bias           1 + 1
constexpr std::array kTraffic{
    Traffic{"sgd", 5},         Traffic{"adam", 7},
    Traffic{"torch-sgd", 4},   Traffic{"torch-momentum", 9},
    Traffic{"torch-adam", 21}, Traffic{"torch-adamw", 19},
};

}  // namespace

std::string optimiser_names() {
  std::string names;
  for (const Traffic& each : kTraffic)
    names.append(names.empty() ? "" : ", ").append(each.optimiser);
  return names;
}

double values_moved(const std::string& optimiser) {
  const auto* found = std::ranges::find(kTraffic, optimiser, &Traffic::optimiser);
  if (found == kTraffic.end())
    throw InputError(fmt::format("`optimiser`: expected one of {}, found {}", optimiser_names(),
                                 in_quotes(optimiser)));
  return found->values;
}

}  // namespace stepcast
