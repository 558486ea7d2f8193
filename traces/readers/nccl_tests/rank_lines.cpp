#include "traces/readers/nccl_tests/rank_lines.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/base/error.hpp"

namespace stepcast {
namespace {

using Words = std::vector<std::string_view>;

/// The word behind `word`; empty if there is none.
std::string behind(const Words& words, std::string_view word) {
  const auto found = std::ranges::find(words, word);
  return found == words.end() || found + 1 == words.end() ? "" : std::string(found[1]);
}

}  // namespace

void RankLines::take(const Words& words, const LogLine& line) {
  if (words.size() < 3 || words[0] != "#" || words[1] != "Rank")
    return;
  const std::string host = behind(words, "on");
  if (host.empty())
    return report_.skip("rank without a host", line.where());
  if (!ranks_.emplace(words[2]).second)
    throw InputError(
        fmt::format("{}: {}: expected one run of nccl-tests, found rank {} again; split the file",
                    origin_, line.where(), words[2]));
  ++hosts_[host];
  const std::string device = behind(words, "device");
  if (!device.empty())
    hosts_share_names_ |= !devices_.emplace(host, device).second;
  if (const std::size_t bracket = line.text.find("] "); bracket != std::string_view::npos)
    device_ = line.text.substr(bracket + 2);
}

void RankLines::describe(LogFacts& facts) const {
  facts.ranks = static_cast<std::uint32_t>(ranks_.size());
  if (hosts_share_names_ || hosts_.empty())
    return;
  facts.nodes = static_cast<std::uint32_t>(hosts_.size());
  for (const auto& [host, ranks] : hosts_)
    if (ranks * facts.nodes != facts.ranks)
      throw InputError(
          fmt::format("{}: expected equally many ranks on each node, found {} of {} on "
                      "{}, one of {} nodes",
                      origin_, ranks, facts.ranks, host, facts.nodes));
}

}  // namespace stepcast
