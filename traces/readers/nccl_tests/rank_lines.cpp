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

/// GPUs of a process by "# nThread 1 nGpus 8 ..."; 0 if it does not say.
std::uint32_t ranks_of_process(const Words& words) {
  const auto threads = find_number(behind(words, "nThread"));
  const auto gpus = find_number(behind(words, "nGpus"));
  const double ranks = threads.value_or(0) * gpus.value_or(0);
  return ranks >= 1 && ranks <= 1e6 ? static_cast<std::uint32_t>(ranks) : 0;
}

}  // namespace

void RankLines::take(const Words& words, const LogLine& line) {
  if (words.size() < 2)
    return;
  if (words[0] == "nThread")
    return ranks_.set_ranks_of_process(ranks_of_process(words));
  if (words[0] != "Rank" || behind(words, "Pid").empty())
    return;
  ListedRank rank{.rank = std::string(words[1]),
                  .group = behind(words, "Group"),
                  .process = behind(words, "Pid"),
                  .host = behind(words, "on"),
                  .device = behind(words, "device"),
                  .bus = {}};
  if (rank.host.empty())
    return report_.skip("rank without a host", line.where());
  const std::size_t open = line.text.find('[');
  // A bracket that closes before one opens says nothing.
  if (const std::size_t close = open == std::string_view::npos ? open : line.text.find("] ", open);
      close != std::string_view::npos) {
    rank.bus = line.text.substr(open, close - open);
    device_ = line.text.substr(close + 2);
  }
  if (!ranks_.add(rank))
    throw InputError(
        fmt::format("{}: {}: expected one run of nccl-tests, found rank {} again; split the file",
                    origin_, line.where(), words[1]));
}

}  // namespace stepcast
