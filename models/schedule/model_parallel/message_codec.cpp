#include "models/schedule/model_parallel/message_codec.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/split.hpp"
#include "models/base/text.hpp"

namespace stepcast {
namespace {

/// "100Mbps/40ms" or "100 Mb/s/40 ms": the slash of a unit separates nothing.
StageLink parse_link(std::string_view text) {
  const bool has_startup = text.find('/') != text.npos && !text.ends_with("/s");
  const std::size_t slash = has_startup ? text.rfind('/') : text.size();
  StageLink link{.bandwidth = parse_bandwidth(text.substr(0, slash))};
  if (slash < text.size())
    link.startup = parse_seconds(text.substr(slash + 1));
  return link;
}

}  // namespace

std::vector<StageLink> parse_stage_links(std::string_view text, std::size_t count) {
  std::vector<StageLink> links;
  for (const std::string_view part : split(text, ','))
    links.push_back(parse_link(part));
  if (links.size() != count)
    throw InputError(
        fmt::format("expected a bandwidth, such as 100Mbps or 100Mbps/40ms, for each "
                    "of {} links between stages, found {}",
                    count, links.size()));
  return links;
}

void adapt_ratios(std::vector<StageLink>& links, Bytes size, double most) {
  Seconds longest{};
  for (const StageLink& link : links)
    longest = std::max(longest, size / link.bandwidth);
  for (StageLink& link : links)
    link.ratio = longest > Seconds{} ? std::max(1.0, most * (size / link.bandwidth / longest)) : 1;
}

}  // namespace stepcast
