#include "traces/job/medians.hpp"

#include <algorithm>
#include <cmath>

namespace stepcast {

double middle_of(std::vector<double> values) {
  return middle_in_place(values);
}

double middle_in_place(std::vector<double>& values) {
  const auto half = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, half);
  const double upper = *half;
  return values.size() % 2 == 1 ? upper
                                : (*std::ranges::max_element(values.begin(), half) + upper) / 2;
}

double weighted_median_of(std::vector<std::pair<double, double>>& values) {
  std::ranges::sort(values);
  double total = 0;
  for (const auto& [value, weight] : values)
    total += weight;
  double below = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    below += values[i].second;
    if (below == total / 2 && i + 1 < values.size())
      return (values[i].first + values[i + 1].first) / 2;
    if (below > total / 2)
      return values[i].first;
  }
  return values.back().first;
}

double median_slope_of(const std::vector<std::pair<double, double>>& points) {
  constexpr std::size_t kMost = 300;
  constexpr double kLeastApart = 1e-6;
  const std::size_t stride = points.size() / kMost + 1;
  std::vector<double> slopes;
  for (std::size_t i = 0; i < points.size(); i += stride)
    for (std::size_t k = i + stride; k < points.size(); k += stride)
      if (const double apart = points[k].first - points[i].first; std::abs(apart) > kLeastApart)
        slopes.push_back((points[k].second - points[i].second) / apart);
  return slopes.empty() ? 0 : middle_of(std::move(slopes));
}

}  // namespace stepcast
