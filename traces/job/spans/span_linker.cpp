#include "traces/job/spans/span_linker.hpp"

#include <algorithm>

namespace stepcast {

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

}  // namespace stepcast
