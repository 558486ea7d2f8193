#include <algorithm>
#include <charconv>
#include <map>

#include <fmt/format.h>

#include "traces/job/job_formats.hpp"
#include "traces/job/spans/server_events.hpp"
#include "traces/job/spans/spans.hpp"

namespace stepcast {
namespace {

constexpr std::uint32_t kMostStreams = 125;  // each way; their numbers have eight bits

/// The others only ask, or tell that something came.
bool has_data(const ServerEvent& event) {
  return event.stage == ServerStage::PushRequest || event.stage == ServerStage::PullResponse;
}

class ServerJob {
 public:
  ServerJob(ServerRounds rounds, ImportReport& report)
      : rounds_(std::move(rounds)), report_(report), shifts_(clocks_of(rounds_, report)) {}

  Job run(const std::string& origin, const JobShape& shape) {
    if (!rounds_.servers.empty() && *rounds_.servers.rbegin() >= kMostStreams)
      report_.doubt(fmt::format("servers beyond {}, which share a line", kMostStreams), origin);
    for (auto& [way, rounds] : rounds_.of_workers)
      for (std::uint32_t step = 0; step < rounds.size(); ++step)
        for (const ServerEvent& event : rounds[step])
          add_message(event, step);
    for (auto& [partition, rounds] : rounds_.of_servers)
      for (std::uint32_t step = 0; step < rounds.size(); ++step)
        add_sums(rounds[step], step);
    one_message_at_a_time();
    SpanRanks ranks{.shifted = shifts_, .one_clock = true};
    for (const std::uint32_t server : rounds_.servers)
      ranks.servers.push_back({rounds_.rank_of_server(server), fmt::format("server {}", server)});
    return job_of_spans(std::move(spans_), origin, shape, report_, ranks);
  }

 private:
  void add_message(const ServerEvent& event, std::uint32_t step);
  void add_sums(const ServerRound& round, std::uint32_t step);
  void one_message_at_a_time();
  std::string like(const ServerEvent& event) const;

  ServerRounds rounds_;
  ImportReport& report_;
  std::vector<Seconds> shifts_;  // By rank.
  std::vector<CommunicationSpan> spans_;
};

/// Partitions but the last of their tensor are of one size.
std::string ServerJob::like(const ServerEvent& event) const {
  constexpr std::string_view kPart = "~PART";
  const std::size_t at = event.partition.rfind(kPart);
  const std::string stage = kServerStages[static_cast<std::size_t>(event.stage)];
  if (at == std::string::npos)
    return fmt::format("{} of {}", stage, event.partition);
  const char* digits = event.partition.data() + at + kPart.size();
  std::uint32_t number = 0;
  std::from_chars(digits, event.partition.data() + event.partition.size(), number);
  const std::string next =
      fmt::format("{}{}{}", event.partition.substr(0, at), kPart, number + 1ULL);
  return rounds_.of_servers.contains(next) ? stage + " of whole partitions"
                                           : fmt::format("{} of {}", stage, event.partition);
}

void ServerJob::add_message(const ServerEvent& event, std::uint32_t step) {
  const auto stage = static_cast<std::size_t>(event.stage);
  const auto name_of = [&](std::size_t of) {
    return fmt::format("{} of {}", kServerStages[of], event.partition);
  };
  const std::uint32_t server = rounds_.rank_of_server(event.server);
  const std::uint32_t way = 1 + 2 * (event.server % kMostStreams) + (is_to_server(event) ? 0 : 1);
  const Seconds shift = shifts_[rounds_.clock_of(event)];
  CommunicationSpan span{.rank = event.worker,
                         .step = step,
                         .name = name_of(stage),
                         .part = kServerStages[stage],
                         .like = like(event),
                         .meets = SpanMeeting::None,
                         .stream = has_data(event) ? static_cast<std::uint8_t>(way) : kBeside,
                         .in_order = has_data(event),
                         .ready = event.begin - shift,
                         .begin = event.begin - shift,
                         .end = event.end - shift};
  if (event.stage == ServerStage::PushRequest)
    span.arrives = event.partition;
  else
    span.follows = {name_of(stage - 1)};
  if (event.stage == ServerStage::PullResponse) {
    span.sent_by = name_of(static_cast<std::size_t>(ServerStage::CopyMerged));
    span.sender = server;
  }
  spans_.push_back(std::move(span));
}

void ServerJob::add_sums(const ServerRound& round, std::uint32_t step) {
  std::vector<std::string> before;
  for (std::size_t i = 0; i < round.size(); ++i) {
    const ServerEvent& event = round[i];
    const std::uint32_t rank = rounds_.rank_of_server(event.server);
    const std::string stage = kServerStages[static_cast<std::size_t>(event.stage)];
    const bool merged = event.stage == ServerStage::CopyMerged;
    const std::string number = event.stage == ServerStage::Sum ? fmt::format(" {}", i) : "";
    CommunicationSpan span{.rank = rank,
                           .step = step,
                           .name = fmt::format("{}{} of {}", stage, number, event.partition),
                           .part = stage,
                           .like = like(event),
                           .follows = before,
                           .meets = SpanMeeting::None,
                           .stream = static_cast<std::uint8_t>(1 + event.thread % 250),
                           .in_order = true,
                           .computes = true,
                           .copies = event.stage != ServerStage::Sum,
                           .takes = merged ? "" : event.partition,
                           .begin = event.begin - shifts_[rank],
                           .end = event.end - shifts_[rank]};
    before = {span.name};
    spans_.push_back(std::move(span));
  }
}

/// Data that was on its way while other data was has the line from that one's end on.
void ServerJob::one_message_at_a_time() {
  std::map<std::pair<std::uint32_t, std::uint8_t>, std::vector<CommunicationSpan*>> ways;
  for (CommunicationSpan& span : spans_)
    if (!span.computes && span.in_order)
      ways[{span.rank, span.stream}].push_back(&span);
  for (auto& [way, spans] : ways) {
    std::ranges::stable_sort(spans, {}, &CommunicationSpan::end);
    for (std::size_t i = 1; i < spans.size(); ++i)
      spans[i]->begin = std::max(spans[i]->begin, std::min(spans[i - 1]->end, spans[i]->end));
  }
}

}  // namespace

Job read_byteps_server_job(const std::vector<TraceStream>& files, const JobShape& shape,
                           ImportReport& report) {
  return ServerJob(cut_into_rounds(read_server_events(files, report), report), report)
      .run(files.front().origin, shape);
}

}  // namespace stepcast
