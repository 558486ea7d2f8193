#include "traces/job/spans/spans.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/index.hpp"
#include "models/base/text.hpp"
#include "traces/formats/reader.hpp"
#include "traces/job/job.hpp"
#include "traces/job/job_shape.hpp"

namespace stepcast {

namespace {

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
  std::map<std::string, Arrivals> arrivals_;
};

bool SpanLinker::add(const CommunicationSpan& span, std::uint32_t own, JobStep& step) {
  bool follows = false;
  for (const std::string& name : span.follows)
    if (const auto found = done_.find({span.rank, name}); found != done_.end()) {
      step.edges.emplace_back(found->second, own);
      follows = true;
    }
  std::uint32_t& last = last_.try_emplace({span.rank, span.stream}, kNoMeeting).first->second;
  if (span.in_order && last != kNoMeeting)
    step.edges.emplace_back(last, own);
  last = own;
  done_[{span.rank, span.name}] = own;
  if (span.meets == SpanMeeting::All)
    meetings_[span.name].push_back(own);
  if (span.meets == SpanMeeting::Sender || span.meets == SpanMeeting::Receiver) {
    auto& message = messages_.try_emplace(span.message, kNoMeeting, kNoMeeting).first->second;
    (span.meets == SpanMeeting::Sender ? message.first : message.second) = own;
  }
  if (!span.sent_by.empty())
    sent_.push_back({{span.sender, span.sent_by}, own});
  if (!span.arrives.empty())
    arrivals_[span.arrives].of.push_back(own);
  if (!span.takes.empty())
    arrivals_[span.takes].takers.push_back(own);
  return follows;
}

void SpanLinker::link(JobStep& step) {
  join(step);
  for (const auto& [place, own] : sent_) {
    const auto found = done_.find(place);
    if (found != done_.end() && step.operations[found->second].begin < step.operations[own].begin)
      step.edges.emplace_back(found->second, own);
    else
      report_.doubt("message that was sent after it came, or never", place.second);
  }
  add_arrivals(step);
}

void SpanLinker::join(JobStep& step) {
  const auto meet = [&](std::vector<std::uint32_t> members, bool message) {
    for (const std::uint32_t member : members)
      step.operations[member].meeting = static_cast<std::uint32_t>(step.meetings.size());
    step.meetings.push_back({.members = std::move(members), .message = message});
  };
  for (auto& [name, members] : meetings_)
    if (members.size() > 1)
      meet(std::move(members), false);
  for (const auto& [name, message] : messages_)
    if (message.first != kNoMeeting && message.second != kNoMeeting)
      meet({message.first, message.second}, true);
    else
      report_.doubt("chunk that was sent or received only", name);
}

void SpanLinker::add_arrivals(JobStep& step) {
  for (auto& [name, arrivals] : arrivals_)
    if (arrivals.of.size() == arrivals.takers.size())
      step.arrivals.push_back(std::move(arrivals));
    else
      report_.doubt("partition with other sums than pushes", name);
}

constexpr std::uint32_t kMostSpanRanks = 100'000;

class SpanJob {
 public:
  SpanJob(std::vector<CommunicationSpan> spans, const std::string& origin, const JobShape& shape,
          ImportReport& report, const SpanRanks& ranks)
      : spans_(std::move(spans)), origin_(origin), shape_(shape), report_(report), known_(ranks) {}

  Job run() {
    std::ranges::stable_sort(spans_, {}, [](const CommunicationSpan& span) {
      return std::tuple(span.step, span.rank, span.begin, span.end);
    });
    add_ranks();
    const std::size_t usual = usual_count();
    for (std::size_t first = 0; first < spans_.size();) {
      std::size_t end = first;
      while (end < spans_.size() && spans_[end].step == spans_[first].step)
        ++end;
      add_step(first, end, usual);
      first = end;
    }
    if (job_.steps.empty())
      throw InputError(origin_ +
                       ": expected two steps in which every rank communicates alike, found none");
    return std::move(job_);
  }

 private:
  void add_ranks();
  std::size_t usual_count() const;
  void add_step(std::size_t first, std::size_t end, std::size_t usual);
  void add_rank(std::size_t first, std::size_t end, JobStep& step, SpanLinker& linker);
  std::uint32_t add(JobStep& step, const JobKind& kind, const JobOperation& done);

  std::vector<CommunicationSpan> spans_;
  const std::string& origin_;
  const JobShape& shape_;
  ImportReport& report_;
  const SpanRanks& known_;
  Job job_;
  std::map<std::uint32_t, std::uint32_t> places_;  // Of ranks, by number.
  std::map<std::string, std::uint16_t> kinds_;
  std::map<std::uint32_t, Seconds> ended_;  // By rank: its step before.
};

void SpanJob::add_ranks() {
  for (const CommunicationSpan& span : spans_)
    places_.emplace(span.rank, 0);
  job_.one_clock = known_.one_clock;
  std::uint32_t highest = 0;
  for (auto& [number, place] : places_) {
    place = static_cast<std::uint32_t>(job_.ranks.size());
    job_.ranks.push_back(
        {.number = number, .data = number, .host = host_of(shape_, number), .origin = origin_});
    if (number < known_.shifted.size())
      job_.ranks.back().shifted = known_.shifted[number];
    highest = number;
  }
  for (const SpanServer& server : known_.servers)
    if (const auto found = places_.find(server.rank); found != places_.end()) {
      job_.ranks[found->second].name = server.name;
      job_.ranks[found->second].serves = true;
    }
  if (highest >= kMostSpanRanks)
    throw InputError(
        fmt::format("{}: expected a rank below {}, found {}", origin_, kMostSpanRanks, highest));
  const auto servers = static_cast<std::uint32_t>(known_.servers.size());
  job_.gpus = shape_.gpus > 0 ? shape_.gpus : highest + 1 - servers;
  check_job_shape(shape_, job_.gpus, origin_);
  job_.name =
      shape_.name.empty() ? std::filesystem::path(origin_).filename().string() : shape_.name;
  if (job_.ranks.size() - servers < job_.gpus)
    report_.doubt(fmt::format("job of {} ranks of which {} are recorded", job_.gpus,
                              job_.ranks.size() - servers),
                  origin_);
}

/// How many spans most steps have, of all ranks.
std::size_t SpanJob::usual_count() const {
  std::map<std::uint32_t, std::size_t> counts;
  for (const CommunicationSpan& span : spans_)
    ++counts[span.step];
  std::map<std::size_t, std::size_t> seen;
  for (const auto& [step, count] : counts)
    ++seen[count];
  const auto usual = std::ranges::max_element(seen, {}, [](const auto& of) { return of.second; });
  return usual == seen.end() ? 0 : usual->first;
}

void SpanJob::add_step(std::size_t first, std::size_t end, std::size_t usual) {
  const std::string name = std::to_string(spans_[first].step);
  const bool known = ended_.size() == job_.ranks.size();
  const bool whole = end - first == usual && known;
  if (!whole)
    report_.skip(known ? "step that lacks communication of the others"
                       : "step before which nothing was recorded",
                 "step " + name);
  JobStep step{.name = name, .number = spans_[first].step};
  SpanLinker linker(report_);
  for (std::size_t i = first; i < end;) {
    std::size_t behind = i;
    Seconds last = spans_[i].end;
    for (; behind < end && spans_[behind].rank == spans_[i].rank; ++behind)
      last = std::max(last, spans_[behind].end);
    if (whole)
      add_rank(i, behind, step, linker);
    ended_[spans_[i].rank] = last;
    i = behind;
  }
  if (!whole)
    return;
  linker.link(step);
  job_.steps.push_back(std::move(step));
}

std::uint32_t SpanJob::add(JobStep& step, const JobKind& kind, const JobOperation& done) {
  constexpr std::size_t kMostKinds = 60'000;
  const auto [found, added] =
      kinds_.emplace(kind.name, static_cast<std::uint16_t>(job_.kinds.size()));
  if (added && job_.kinds.size() >= kMostKinds)
    throw InputError(origin_ + ": too many kinds of communication");
  if (added)
    job_.kinds.push_back(kind);
  step.operations.push_back(done);
  step.operations.back().kind = found->second;
  return checked_id(step.operations.size() - 1, "operations");
}

/// The spans of a rank in order of their begins, each that follows nobody behind the computation
/// that leads up to it.
void SpanJob::add_rank(std::size_t first, std::size_t end, JobStep& step, SpanLinker& linker) {
  const std::uint32_t rank = places_.at(spans_[first].rank);
  Seconds computed = ended_.at(spans_[first].rank);
  std::uint32_t before = kNoMeeting;
  for (std::size_t i = first; i < end; ++i) {
    const CommunicationSpan& span = spans_[i];
    const Seconds ready = span.ready.value_or(span.begin);
    const bool led_up_to = span.follows.empty() && span.takes.empty();
    if (led_up_to && ready > computed) {
      const std::uint32_t work =
          add(step,
              {.name = "computation up to " + span.name,
               .work = JobWork::Backward,
               .part = "computation"},
              {.rank = rank, .micro_batch = 0, .begin = computed, .end = ready});
      if (before != kNoMeeting)
        step.edges.emplace_back(before, work);
      before = work;
      computed = ready;
    }
    const std::uint32_t own =
        add(step,
            {.name = span.like.empty() ? span.name : span.like,
             .work = span.computes ? JobWork::Compute : JobWork::Transfer,
             .part = span.part,
             .size = span.size,
             .copies = span.copies},
            {.rank = rank, .stream = span.stream, .begin = span.begin, .end = span.end});
    if (!linker.add(span, own, step) && before != kNoMeeting && span.takes.empty())
      step.edges.emplace_back(before, own);
  }
}

}  // namespace

Job job_of_spans(std::vector<CommunicationSpan> spans, const std::string& origin,
                 const JobShape& shape, ImportReport& report, const SpanRanks& ranks) {
  if (spans.empty())
    throw InputError(origin + ": expected communications, found none");
  return SpanJob(std::move(spans), origin, shape, report, ranks).run();
}

std::uint32_t rank_of_file(const TraceStream& file, std::size_t place) {
  constexpr std::size_t kMostDigits = 5;
  const std::string folder = std::filesystem::path(file.origin).parent_path().filename().string();
  const bool is_number = !folder.empty() && folder.size() <= kMostDigits &&
                         folder.find_first_not_of("0123456789") == std::string::npos;
  return is_number ? parse_count(folder) : static_cast<std::uint32_t>(place);
}

}  // namespace stepcast
