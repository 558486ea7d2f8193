#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "traces/formats/benchmark_log.hpp"
#include "traces/formats/log_text.hpp"
#include "traces/formats/nccl_tests/rank_range.hpp"

namespace stepcast {

/// A rank as nccl-tests lists it at its begin. Empty: not said.
struct ListedRank {
  std::string rank;
  std::string group;  ///< Of a run that was split into several communicators.
  std::string process;
  std::string host;
  std::string device;
  std::string bus;  ///< Of the GPU: where each task sees one GPU, all of them are device 0.
};

/// The ranks that a log lists, checked against the number that its bandwidths are of.
class ListedRanks {
 public:
  /// False if the rank was listed before: a second run.
  bool add(const ListedRank& rank);

  /// Ranks of a process, which are on one node. Its JSON lists the first of a process only.
  void set_ranks_of_process(std::uint32_t ranks) { ranks_of_process_ = ranks; }

  /// Ranks of a communicator that are listed.
  std::uint32_t count() const;

  /// Ranks and nodes of a communicator. `told`: what bandwidths say, if they say one number; it
  /// stands where lines are missing. Nodes stay 0 where they cannot be told: if ranks of the only
  /// host share a GPU, several nodes have its name, unless each of its processes sees one GPU.
  /// Throws InputError, beginning with `origin`, if the nodes have not equally many ranks, or lines
  /// and bandwidths contradict each other.
  void describe(LogFacts& facts, std::optional<std::uint32_t> told, const std::string& origin,
                ImportReport& report) const;

 private:
  using Hosts = std::map<std::string, std::uint32_t>;  ///< Ranks by host.

  /// Whether the only host runs a process for each GPU, to which this GPU is device 0. A launcher
  /// that hides the other GPUs of a node leaves such a list. More ranks than a node has GPUs are
  /// several nodes of one name.
  bool sees_one_gpu_each() const;

  void complete(LogFacts& facts, std::uint32_t told, const Hosts& hosts, const std::string& origin,
                ImportReport& report) const;

  std::set<std::string> ranks_;
  std::map<std::string, Hosts> groups_;
  std::set<std::string> hosts_;
  std::set<std::tuple<std::string, std::string, std::string>> places_;
  std::set<std::string> processes_;
  bool places_repeat_ = false;
  std::uint32_t ranks_of_process_ = 0;
};

/// The lines on ranks that nccl-tests prints before its table, without their "#":
/// "# nThread 1 nGpus 8 minBytes ..." and
/// "#   Rank  0 Group  0 Pid 42 on  host device  0 [0000:3d:00] Tesla V100".
class RankLines {
 public:
  RankLines(const std::string& origin, ImportReport& report) : origin_(origin), report_(report) {}

  /// Takes a line if it is one of them. Throws InputError for a rank that comes again: two runs.
  void take(const std::vector<std::string_view>& words, const LogLine& line);

  const ListedRanks& ranks() const { return ranks_; }
  const std::string& device() const { return device_; }

 private:
  const std::string& origin_;
  ImportReport& report_;
  ListedRanks ranks_;
  std::string device_;
};

/// What a run of nccl-tests says of itself, in text or JSON.
struct RunRecord {
  std::optional<CollectiveKind> named;  ///< By its program.
  bool has_redop = false;
  bool has_root = false;
  RankRange range;
  ListedRanks ranks;
};

/// Kind, ranks and nodes as far as the run tells; a list of ranks is checked against the bandwidths
/// and completed by them. Throws InputError that begins with `origin` if they contradict each other
/// or the user's layout.
LogFacts facts_of(const RunRecord& run, const BenchmarkHints& hints, const std::string& origin,
                  ImportReport& report);

}  // namespace stepcast
