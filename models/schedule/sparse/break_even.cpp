#include "models/schedule/sparse/break_even.hpp"

#include <algorithm>

#include "models/schedule/density/break_evens.hpp"
#include "models/schedule/registry.hpp"
#include "models/schedule/sparse/step.hpp"

namespace stepcast::sparse {

double density_of(const Encoding& encoding, Bytes per_element) {
  const Bytes fixed = size_of_indices(encoding, 0, 1);  // of a bitmap
  const Bytes entry = size_of_values(encoding, 1) + size_of_indices(encoding, 1, 1) - fixed;
  return (per_element - fixed) / entry;
}

double break_even_with_gathering(const Encoding& encoding, std::uint32_t ranks) {
  return density_of(encoding, dense_size(1) / (ranks - 1));
}

double break_even_with_whole_gradients(const Encoding& encoding, Bytes element) {
  return density_of(encoding, element * 2 - dense_size(1));
}

}  // namespace stepcast::sparse

namespace stepcast {
namespace {

using sparse::Encoding;

constexpr const char* kByShards = "topka2a";
constexpr const char* kGathered = "topk-allgather";

Encoding encoding_of(const ScheduleOptions& options) {
  const ScheduleInfo& info = schedule_of(kByShards);
  ScheduleOptions own;
  for (const OptionInfo& option : info.options)
    if (const auto given = options.find(option.name); given != options.end())
      own.insert(*given);
  return sparse::settings_of(OptionReader(info.name, info.options, effective_options(info, own)))
      .encoding;
}

}  // namespace

// Of TopKA2A with topk-allgather and with the first schedule of whole gradients.
std::vector<BreakEven> break_evens(std::span<const std::string> schedules,
                                   const ScheduleOptions& options, const Workload& workload,
                                   std::uint32_t ranks) {
  std::vector<BreakEven> found;
  const auto has = [&](const char* name) { return std::ranges::count(schedules, name) > 0; };
  if (!has(kByShards) || ranks < 2 || parameter_count(workload) == 0)
    return found;
  const Encoding encoding = encoding_of(options);
  if (has(kGathered))
    found.push_back({kGathered, kByShards, sparse::break_even_with_gathering(encoding, ranks)});
  const auto whole = std::ranges::find(
      schedules, false, [](const std::string& name) { return schedule_of(name).compressed; });
  const Bytes element = parameter_size(workload) / static_cast<double>(parameter_count(workload));
  if (whole != schedules.end())
    found.push_back(
        {kByShards, *whole, sparse::break_even_with_whole_gradients(encoding, element)});
  return found;
}

}  // namespace stepcast
