#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "traces/job/job.hpp"
#include "traces/job/spans/spans.hpp"
#include "traces/readers/reader.hpp"

namespace stepcast {

/// Joins the spans of one step: in order on their ranks, in meetings, and over messages.
class SpanLinker {
 public:
  explicit SpanLinker(ImportReport& report) : report_(report) {}

  /// The operation `own` of the step, whose rank's spans are added in order of their begins.
  /// Whether it waits for a span of its rank that it says to follow.
  bool add(const CommunicationSpan& span, std::uint32_t own, JobStep& step);

  /// Joins what waits for spans of other ranks, when all of the step are added. What is sent after
  /// it came is counted and left out.
  void link(JobStep& step);

 private:
  using Place = std::pair<std::uint32_t, std::string>;  // Rank and name.

  void join(JobStep& step);
  void add_arrivals(JobStep& step);

  ImportReport& report_;
  std::map<Place, std::uint32_t> done_;
  std::map<std::pair<std::uint32_t, std::uint8_t>, std::uint32_t> last_;  // By rank and stream.
  std::map<std::string, std::vector<std::uint32_t>> meetings_;
  std::map<std::string, std::pair<std::uint32_t, std::uint32_t>> messages_;  // Sender, receiver.
  std::vector<std::pair<Place, std::uint32_t>> sent_;
  std::map<std::string, JobArrivals> arrivals_;
};

}  // namespace stepcast
