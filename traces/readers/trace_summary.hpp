#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/base/units.hpp"
#include "traces/readers/rank_record.hpp"

namespace stepcast {

/// Collectives of one kind and size that a trace holds.
struct CollectiveSummary {
  std::string kind;         ///< "all-reduce"; the name in the trace if it is none of ours.
  Bytes size{};             ///< Of one; 0: not recorded.
  std::uint64_t count = 0;  ///< In the whole trace.
  Seconds time{};           ///< Of all of them; 0: not recorded.
  std::vector<std::uint32_t> group{};  ///< The ranks that ran it; empty: all, or not recorded.
};

/// One recorded step. Times are sums over the work launched in it, which may run in the next.
struct StepSummary {
  std::string name;
  Seconds duration{};          ///< On the device, from the end of the step before.
  Seconds host{};              ///< On the host, by its marks.
  bool whole = true;           ///< False: where the step before ended was not recorded.
  bool stalled = false;        ///< See find_stalled().
  Seconds device{};            ///< Device time of computation.
  Seconds input_copies{};      ///< Device time of copies from the host.
  Seconds copies_alone{};      ///< Of these: while nothing computed.
  Seconds communication{};     ///< Device time of collectives.
  Seconds host_gaps{};         ///< Nothing computed, and no collective was waited for.
  Seconds collective_waits{};  ///< Nothing computed, for want of a collective's end.
  std::uint64_t work = 0;      ///< Kernels, copies and fills.
};

/// The samples of a step, as a trace tells or suggests.
struct BatchSummary {
  std::uint32_t value = 0;  ///< 0: it does not tell.
  std::string evidence = "the format does not tell it";
};

/// What a trace file holds, before anything is made of it.
struct TraceSummary {
  std::string format;
  BatchSummary batch;
  std::vector<std::pair<std::string, std::string>> facts;  ///< "device": "Tesla V100".
  std::vector<StepSummary> steps;
  std::optional<Seconds> device_step;  ///< Mean of the whole steps that did not
                                       ///< stall; none: no steps of a device.
  std::vector<std::string> doubts;     ///< Sentences: why the steps are not to be trusted.
  /// Device time of the whole trace by category, and the number of pieces.
  struct Category {
    std::string name;
    Seconds time{};
    std::uint64_t count = 0;
  };
  std::vector<Category> categories;
  std::vector<CollectiveSummary> collectives;
  Seconds overlapped_communication{};  ///< While computation ran as well.
  Seconds exposed_communication{};     ///< While none ran.
  std::optional<RankRecord> rank;  ///< For a comparison with other ranks; none: not one of many.
};

}  // namespace stepcast
