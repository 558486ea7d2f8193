#include "traces/readers/kineto/groups/noted_collective.hpp"

#include <algorithm>

namespace stepcast {

bool is_count(std::optional<double> number) {
  constexpr double kLargestCount = 1e18;
  return number && *number >= 0 && *number <= kLargestCount;
}

std::uint64_t count_of(std::optional<double> number) {
  return is_count(number) ? static_cast<std::uint64_t>(*number) : 0;
}

KinetoCollective noted_collective(const ChromeEvent& event) {
  constexpr std::uint64_t kMostRanks = 1U << 30U;
  const std::string dtype(event.text("dtype"));
  const std::uint64_t elements =
      std::max(count_of(event.number("In msg nelems")), count_of(event.number("Out msg nelems")));
  const auto ranks =
      static_cast<std::uint32_t>(std::min(count_of(event.number("Group size")), kMostRanks));
  KinetoCollective noted{.name = std::string(event.text("Collective name")),
                         .size = Bytes{static_cast<double>(elements) * element_size(dtype)},
                         .ranks = ranks,
                         .dtype = dtype,
                         .group_name = std::string(event.text("Process Group Name")),
                         .group = noted_ranks(event, ranks)};
  if (const auto number = event.number("Seq"); is_count(number))
    noted.sequence = count_of(number);
  return noted;
}

}  // namespace stepcast
