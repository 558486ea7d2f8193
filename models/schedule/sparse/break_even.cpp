#include "models/schedule/sparse/break_even.hpp"

#include <algorithm>

#include "models/schedule/break_evens.hpp"
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

Encoding encoding_of(const ScheduleInfo& info, const ScheduleOptions& options) {
  ScheduleOptions own;
  for (const OptionInfo& option : info.options)
    if (const auto given = options.find(option.name); given != options.end())
      own.insert(*given);
  return sparse::settings_of(OptionReader(info.name, info.options, effective_options(info, own)))
      .encoding;
}

}  // namespace

// Of TopKA2A with topk-allgather and with the first schedule of whole gradients.
std::vector<BreakEven> break_evens(std::span<const ScheduleInfo* const> schedules,
                                   const ScheduleOptions& options, const Workload& workload,
                                   std::uint32_t ranks) {
  std::vector<BreakEven> found;
  const auto by_shards = std::ranges::find(schedules, kByShards, &ScheduleInfo::name);
  if (by_shards == schedules.end() || ranks < 2 || parameter_count(workload) == 0)
    return found;
  const Encoding encoding = encoding_of(**by_shards, options);
  if (std::ranges::find(schedules, kGathered, &ScheduleInfo::name) != schedules.end())
    found.push_back({kGathered, kByShards, sparse::break_even_with_gathering(encoding, ranks)});
  const auto whole = std::ranges::find(schedules, false, &ScheduleInfo::compressed);
  const Bytes element = parameter_size(workload) / static_cast<double>(parameter_count(workload));
  if (whole != schedules.end())
    found.push_back(
        {kByShards, (*whole)->name, sparse::break_even_with_whole_gradients(encoding, element)});
  return found;
}

}  // namespace stepcast
