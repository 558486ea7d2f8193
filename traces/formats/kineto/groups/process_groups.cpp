#include "traces/formats/kineto/groups/process_groups.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "traces/formats/kineto/kineto_trace.hpp"

namespace stepcast {

namespace {

constexpr double kLargestRank = 1e9;
constexpr std::string_view kGroups = "distributedInfo/pg_config/";

std::optional<std::uint32_t> rank_in(std::optional<double> number) {
  if (!number || !(*number >= 0 && *number <= kLargestRank))
    return std::nullopt;
  return static_cast<std::uint32_t>(*number);
}

/// Of "[0, 1]"; empty if anything else stands in it.
GroupRanks ranks_in(std::string_view text) {
  GroupRanks ranks;
  const std::size_t open = text.find('[');
  const std::size_t close = text.find(']');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open)
    return {};
  const char* at = text.data() + open + 1;
  const char* const end = text.data() + close;
  while (at != end) {
    if (*at == ' ' || *at == ',') {
      ++at;
      continue;
    }
    std::uint32_t rank = 0;
    const auto [stop, error] = std::from_chars(at, end, rank);
    if (error != std::errc())
      return {};
    ranks.push_back(rank);
    at = stop;
  }
  return ranks;
}

/// Of a group whose ranks lie evenly.
GroupRanks even_ranks(const ChromeEvent& event, std::uint32_t size) {
  constexpr std::uint32_t kMostRanks = 1U << 20U;
  const auto start = rank_in(event.number("Global rank start"));
  const auto stride = rank_in(event.number("Global rank stride"));
  if (!start || !stride || *stride == 0 || size > kMostRanks ||
      static_cast<double>(*stride) * size > kLargestRank)
    return {};
  GroupRanks ranks;
  for (std::uint32_t i = 0; i < size; ++i)
    ranks.push_back(*start + i * *stride);
  return ranks;
}

GroupRanks ordered(GroupRanks ranks) {
  std::ranges::sort(ranks);
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

/// Returns the ranks as an event notes them: "Process Group Ranks" as the text "[0, 1]", or "Global
/// rank start" and "stride". Empty if the list is cut short ("[0, 1, ...]") or does not have `size`
/// ranks; size 0: not noted.
GroupRanks noted_ranks(const ChromeEvent& event, std::uint32_t size) {
  GroupRanks ranks = ordered(ranks_in(event.text("Process Group Ranks")));
  if (ranks.empty() || (size != 0 && ranks.size() != size))
    ranks = even_ranks(event, size);
  return ranks;
}

}  // namespace

void ProcessGroups::take(const std::string& path, const ChromeArgument& value) {
  if (!path.starts_with(kGroups))
    return;
  const std::string_view field = std::string_view(path).substr(kGroups.size());
  if (field == "pg_name")
    name_ = value.text;
  else if (field.starts_with("ranks") && !name_.empty())
    if (const auto rank = rank_in(value.number))
      by_name_[name_].push_back(*rank);
}

GroupRanks ProcessGroups::ranks_of(const std::string& name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? GroupRanks() : ordered(found->second);
}

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
