#include "traces/formats/nccl_tests/listed_ranks.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/base/error.hpp"

namespace stepcast {

namespace {

template <class Hosts>
std::uint32_t ranks_on(const Hosts& hosts) {
  std::uint32_t ranks = 0;
  for (const auto& [host, count] : hosts)
    ranks += count;
  return ranks;
}

template <class Hosts>
void check_even(const Hosts& hosts, std::uint32_t ranks, const std::string& origin) {
  for (const auto& [host, count] : hosts)
    if (count * hosts.size() != ranks)
      throw InputError(
          fmt::format("{}: expected equally many ranks on each node, found {} of {} on "
                      "{}, one of {} nodes",
                      origin, count, ranks, host, hosts.size()));
}

}  // namespace

bool ListedRanks::add(const ListedRank& rank) {
  if (!ranks_.insert(rank.rank).second)
    return false;
  ++groups_[rank.group][rank.host];
  hosts_.insert(rank.host);
  if (!rank.device.empty())
    places_repeat_ |= !places_.emplace(rank.host, rank.device, rank.bus).second;
  if (!rank.process.empty())
    processes_.insert(rank.process);
  return true;
}

bool ListedRanks::sees_one_gpu_each() const {
  constexpr std::size_t kMostGpusOfNode = 16;
  const bool one_device =
      std::ranges::all_of(places_, [](const auto& place) { return std::get<1>(place) == "0"; });
  const bool one_rank_each =
      ranks_of_process_ <= 1 && (processes_.empty() || processes_.size() == ranks_.size());
  return one_device && one_rank_each && hosts_.size() == 1 && ranks_.size() <= kMostGpusOfNode;
}

std::uint32_t ListedRanks::count() const {
  return groups_.empty() ? 0 : ranks_on(groups_.begin()->second);
}

void ListedRanks::describe(LogFacts& facts, std::optional<std::uint32_t> told,
                           const std::string& origin, ImportReport& report) const {
  const Hosts none;
  const Hosts& hosts = groups_.empty() ? none : groups_.begin()->second;
  facts.ranks = count();
  for (const auto& [name, group] : groups_)
    if (ranks_on(group) != facts.ranks || group.size() != hosts.size())
      throw InputError(
          fmt::format("{}: expected groups of equally many ranks and nodes, found "
                      "group {} of {} on {} and group {} of {} on {}",
                      origin, groups_.begin()->first, facts.ranks, hosts.size(), name,
                      ranks_on(group), group.size()));
  if (told && facts.ranks != *told)
    return complete(facts, *told, hosts, origin, report);
  if (groups_.size() > 1)
    report.doubt(fmt::format("{} groups that ran at once: their times share links", groups_.size()),
                 "the list of ranks");
  if (hosts.empty() || (places_repeat_ && hosts_.size() == 1 && !sees_one_gpu_each()))
    return;
  if (places_repeat_ && hosts_.size() == 1)
    report.infer("host on which each process sees one GPU as device 0: one node",
                 "the list of ranks");
  check_even(hosts, facts.ranks, origin);
  facts.nodes = static_cast<std::uint32_t>(hosts.size());
}

void ListedRanks::complete(LogFacts& facts, std::uint32_t told, const Hosts& hosts,
                           const std::string& origin, ImportReport& report) const {
  const std::uint32_t listed = facts.ranks;
  facts.ranks = told;
  if (ranks_of_process_ == told)
    facts.nodes = 1;
  if (listed == 0 || facts.nodes == 1)
    return;
  if (listed > told)
    throw InputError(
        fmt::format("{}: lists {} ranks, but its bus and algorithm bandwidths are those of {}",
                    origin, listed, told));
  const auto nodes = static_cast<std::uint32_t>(hosts.size());
  if (listed * ranks_of_process_ == told) {
    check_even(hosts, listed, origin);
    facts.nodes = nodes;
    return;
  }
  const std::uint32_t most =
      std::ranges::max_element(hosts, {}, [](const auto& host) { return host.second; })->second;
  report.doubt(fmt::format("list of {} ranks, where bus and algorithm bandwidths are those of {}, "
                           "which was taken",
                           listed, told),
               "the list of ranks");
  if (most * nodes == told)  // One node's lines are complete, the others' are not.
    facts.nodes = nodes;
}

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

namespace {

using Kinds = std::vector<CollectiveKind>;

/// All-gather and all-to-all print the same columns.
Kinds kinds_by_columns(const RunRecord& run) {
  using enum CollectiveKind;
  if (run.has_root)
    return {run.has_redop ? Reduce : Broadcast};
  return run.has_redop ? Kinds{AllReduce, ReduceScatter} : Kinds{AllGather, AllToAll};
}

Kinds allowed(Kinds kinds, const RankRange& range, std::uint32_t ranks) {
  std::erase_if(kinds, [&](CollectiveKind kind) { return !range.allows(kind, ranks); });
  return kinds;
}

/// The one number of ranks at which each of the kinds prints such bandwidths.
std::optional<std::uint32_t> ranks_of(const Kinds& kinds, const RankRange& range) {
  const auto told = range.ranks_of(kinds.front());
  const bool all =
      std::ranges::all_of(kinds, [&](CollectiveKind kind) { return range.ranks_of(kind) == told; });
  return all ? told : std::nullopt;
}

void check_layout(const Kinds& kinds, const RankRange& range, const BenchmarkHints& hints,
                  const std::string& origin) {
  const std::uint32_t ranks = hints.nodes * hints.gpus_per_node;
  if (ranks > 0 && allowed(kinds, range, ranks).empty())
    throw InputError(
        fmt::format("{}: expected a layout whose number of ranks its bandwidths allow (bus "
                    "over algorithm bandwidth {}), found {}x{}",
                    origin, range.text(), hints.nodes, hints.gpus_per_node));
}

}  // namespace

LogFacts facts_of(const RunRecord& run, const BenchmarkHints& hints, const std::string& origin,
                  ImportReport& report) {
  const Kinds by_columns = run.named ? Kinds{*run.named} : kinds_by_columns(run);
  Kinds kinds = allowed(by_columns, run.range, 0);
  if (kinds.empty())
    throw InputError(fmt::format("{}: bus over algorithm bandwidth is {}, that of no {}", origin,
                                 run.range.text(), name_of(by_columns.front())));
  if (hints.kind && !run.named && std::ranges::count(kinds, *hints.kind) > 0)
    kinds = {*hints.kind};
  const std::uint32_t listed = run.ranks.count();
  std::optional<std::uint32_t> told;
  if (Kinds fitting = allowed(kinds, run.range, listed); listed > 0 && !fitting.empty())
    kinds = std::move(fitting);
  else if (told = ranks_of(kinds, run.range); listed > 0 && !told)
    throw InputError(
        fmt::format("{}: lists {} ranks, but its bus over algorithm bandwidth is {}, which is of "
                    "others; lines are missing",
                    origin, listed, run.range.text()));
  else if (!told)
    check_layout(kinds, run.range, hints, origin);
  LogFacts facts{.kind = run.named, .possible = kinds};
  if (!run.named && kinds.size() == 1)
    facts.kind = kinds.front();
  run.ranks.describe(facts, told, origin, report);
  return facts;
}

}  // namespace stepcast
