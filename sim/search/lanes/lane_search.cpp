#include "sim/search/lanes/lane_search.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "sim/jobs/edits/estimates.hpp"
#include "sim/workers/simulation_killed.hpp"
#include "sim/workers/stop.hpp"

namespace stepcast {

void LaneSearch::run() {
  if (step_.step().estimate)
    return descend_simulated();
  const StepInHand::Reached begin = step_.reached();
  StepInHand::Reached best = begin;
  begin_ = begin.accepted.size();
  for (const LaneDescent descent :
       {LaneDescent::AllCuts, LaneDescent::Halves, LaneDescent::RowsFirst}) {
    step_.go_back_to(begin);
    descent_ = descent;
    if (!begins())
      continue;
    descend();
    if (step_.now().step < best.now.step)
      best = step_.reached();
  }
  step_.go_back_to(best);
}

void LaneSearch::run(LaneDescent descent, KnownSteps& known) {
  std::swap(known, known_);
  begin_ = step_.result().accepted.size();
  descent_ = descent;
  most_work_ = kMostDescentWork;
  descend();
  std::swap(known, known_);
}

/// Not where it would be the first one again. What is pushed and pulled goes in sizes that are
/// options of its schedule.
bool LaneSearch::begins() {
  switch (descent_) {
    case LaneDescent::AllCuts:
      return true;
    case LaneDescent::Halves:
      return any_cuts_;
    case LaneDescent::RowsFirst:
      return !any_cuts_ && fuse_rows();
  }
  return false;
}

void LaneSearch::descend() {
  const auto& accepted = step_.result().accepted;
  std::size_t before = 0;
  do {
    before = accepted.size();
    while (step_.now().step > Seconds{} && stop_signal() == 0 && go_round() && !is_stalled()) {
    }  // What fused tensors wait for may be fused, too.
  } while (accepted.size() > before && step_.try_recipe("kernel-fusion"));
}

/// The first time that it may not, a note says so.
bool LaneSearch::may_simulate() {
  if (most_work_ == 0 || work_ + work_of_one() <= most_work_)
    return true;
  if (!std::exchange(is_limit_told_, true))
    step_.result().notes.emplace_back(
        "the search for fusions and cuts ended at the limit of what it simulates; at analytic "
        "fidelity there is none");
  return false;
}

double LaneSearch::work_of_one() const {
  return simulated_work(step_.step().graphs.front().nodes.size());
}

void LaneSearch::descend_simulated() {
  most_work_ = kMostSimulatedWork;
  begin_ = step_.result().accepted.size();
  while (step_.now().step > Seconds{} && stop_signal() == 0 && go_estimated_round() &&
         !is_stalled()) {
  }
}

bool LaneSearch::fuse_rows() {
  const WorkGraph& graph = step_.step().graphs.front();
  std::set<std::pair<std::string, std::string>> rows;
  for (const WorkNode& node : graph.nodes)
    if (node.communicates && node.fusable && node.size > Bytes{})
      rows.emplace(graph.kinds[node.kind], graph.streams[node.stream].name);
  bool any = false;
  for (const auto& [kind, stream] : rows)
    any = fuse_row(kind, stream) || any;
  return any;
}

/// Those of a kind on a stream up to the best of sizes from 64 KiB to 64 MiB.
bool LaneSearch::fuse_row(const std::string& kind, const std::string& stream) {
  std::optional<EditRequest> best;
  std::vector<WorkGraph> last = step_.step().graphs;
  std::vector<WorkGraph> graphs;
  TimedStep fused{.step = step_.now().step, .iteration = {}, .nodes = {}};
  for (int kib = 64; kib <= 65536 && stop_signal() == 0; kib *= 2)
    try {
      EditRequest request = edit_request_of(
          "merge", {{"kind", kind}, {"stream", stream}, {"up_to", fmt::format("{}KiB", kib)}});
      std::vector<WorkGraph> changed = edited(step_.step().graphs, request, step_.step());
      ++step_.result().tried;
      if (are_same_work(changed, last))
        continue;
      last = changed;
      TimedStep timed = step_.timed(changed);
      if (!step_.is_shorter(timed.step) || timed.step >= fused.step)
        continue;
      best = std::move(request);
      graphs = std::move(changed);
      fused = std::move(timed);
    } catch (const InputError&) {
      continue;  // No two of them may be one at this size.
    }
  if (best)
    step_.accept(EditKind::Resize, best->text, std::move(graphs), std::move(fused));
  return best.has_value();
}

bool LaneSearch::is_stalled() {
  constexpr std::size_t kRounds = 5;
  constexpr double kLeast = 0.001;
  const auto& accepted = step_.result().accepted;
  if (accepted.size() < begin_ + kRounds)
    return false;
  Seconds gain{};
  for (std::size_t i = accepted.size() - kRounds; i < accepted.size(); ++i)
    gain += accepted[i].gain;
  return gain < step_.now().step * kLeast;
}

/// The sixteen that promise most by what they save, in this order.
std::vector<LaneCandidate> LaneSearch::promising(const LaneRound& round) {
  constexpr std::size_t kMost = 16;
  std::vector<LaneCandidate> found = round.candidates();
  step_.result().tried += found.size();
  std::ranges::stable_sort(found, std::ranges::greater(), &LaneCandidate::estimate);
  found.resize(std::min(kMost, found.size()));
  return found;
}

/// The four that promise most; while none of them gains the next ones.
bool LaneSearch::go_round() {
  constexpr std::size_t kAtOnce = 4;
  LaneRound round(step_.step(), step_.now());
  const std::vector<LaneCandidate> found = promising(round);
  BestOfRound best;
  for (std::size_t i = 0; i < found.size() && (i % kAtOnce != 0 || !best.candidate); ++i)
    if (found[i].kind == EditKind::Fuse)
      time(found[i], round, best);
    else
      time_cuts(found[i], round, best);
  if (!best.candidate)
    return false;
  round.complete(*best.candidate, best.changed);
  step_.accept(best.candidate->kind, best.candidate->text, std::move(best.changed.graphs),
               std::move(best.changed.timed));
  return true;
}

bool LaneSearch::go_estimated_round() {
  constexpr std::size_t kFew = 10;
  if (!may_simulate())
    return false;
  LaneRound round(step_.step(), step_.now());
  std::vector<Estimated> found = estimated(round);
  std::ranges::stable_sort(found, {}, &Estimated::step);
  std::size_t simulated = 0;
  for (const Estimated& each : found) {
    if (simulated == kFew || stop_signal() != 0)
      return false;
    if (refused_.contains(each.candidate.text))
      continue;
    if (!may_simulate())
      return false;
    ++simulated;
    work_ += work_of_one();
    if (accept_simulated(each.candidate, round))
      return true;
    refused_.insert(each.candidate.text);
  }
  return false;
}

/// Of those that promise most, in 2, 4 and 8 pieces, whatever the estimate says.
std::vector<LaneSearch::Estimated> LaneSearch::estimated(LaneRound& round) {
  constexpr std::uint32_t kMostParts = 8;
  std::vector<Estimated> all;
  const auto add = [&](const LaneCandidate& candidate) {
    if (const auto step = estimate_of(candidate, round))
      all.push_back({candidate, *step});
  };
  for (const LaneCandidate& each : promising(round)) {
    LaneCandidate candidate = each;
    if (candidate.kind == EditKind::Fuse) {
      add(candidate);
      continue;
    }
    for (candidate.parts = 2; candidate.parts <= kMostParts; candidate.parts *= 2) {
      candidate.text = fmt::format("{} in {}", each.text, candidate.parts);
      add(candidate);
    }
  }
  return all;
}

/// None of what would wait for itself.
std::optional<Seconds> LaneSearch::estimate_of(const LaneCandidate& candidate,
                                               LaneRound& round) try {
  ++step_.result().replayed;
  return step_.step().estimate(round.graphs_with(candidate)).step;
} catch (const InputError&) {
  return std::nullopt;
} catch (const SimulationError&) {
  return std::nullopt;
}

bool LaneSearch::accept_simulated(const LaneCandidate& candidate, LaneRound& round) try {
  std::vector<WorkGraph> graphs = round.graphs_with(candidate);
  TimedStep timed = step_.timed(graphs);
  const bool is_shorter = step_.is_shorter(timed.step);
  if (is_shorter)
    step_.accept(candidate.kind, candidate.text, std::move(graphs), std::move(timed));
  return is_shorter;
} catch (const InputError&) {
  return false;
}

/// In 2, 4, 8, 16 pieces, and on to the number that theory gives, while that pays; and in that,
/// where simulations need not be few.
void LaneSearch::time_cuts(const LaneCandidate& found, LaneRound& round, BestOfRound& best) {
  constexpr std::uint32_t kUsual = 16;
  any_cuts_ = true;
  LaneCandidate cut = found;
  const auto step_in = [&](std::uint32_t parts) {
    cut.parts = parts;
    cut.text = fmt::format("{} in {}", found.text, parts);
    return time(cut, round, best);
  };
  if (descent_ == LaneDescent::Halves) {
    step_in(2);
    return;
  }
  bool is_timed = false;
  Seconds shortest = step_.now().step;
  for (std::uint32_t parts = 2; parts <= std::max(kUsual, found.parts); parts *= 2) {
    is_timed = is_timed || parts == found.parts;
    const Seconds step = step_in(parts);
    if (step >= shortest || stop_signal() != 0)
      break;
    shortest = step;
  }
  if (!is_timed && most_work_ == 0)
    step_in(found.parts);
}

/// Keeps it if it is the best. Of what would wait for itself: the step as it is.
Seconds LaneSearch::time(const LaneCandidate& candidate, LaneRound& round, BestOfRound& best) try {
  ChangedStep changed = with(candidate, round);
  const Seconds step = changed.step;
  if (step_.is_shorter(step) && (!best.candidate || step < best.changed.step))
    best = {candidate, std::move(changed)};
  return step;
} catch (const InputError&) {
  return step_.now().step;
} catch (const SimulationKilled&) {
  throw;  // what the machine killed says nothing about the candidate
} catch (const SimulationError&) {
  return step_.now().step;
}

/// Descents often begin alike: what one of them has timed has its step alone.
ChangedStep LaneSearch::with(const LaneCandidate& candidate, LaneRound& round) {
  const auto& accepted = step_.result().accepted;
  std::string edits;
  for (std::size_t i = begin_; i < accepted.size(); ++i)
    edits += accepted[i].text + '\n';
  edits += candidate.text;
  if (const auto known = known_.find(edits); known != known_.end())
    return {.step = known->second, .graphs = {}, .timed = {}};
  if (!may_simulate())
    return {.step = step_.now().step, .graphs = {}, .timed = {}};
  Seconds& known = known_[edits] = step_.now().step;
  ++step_.result().simulated;
  work_ += work_of_one();
  ChangedStep changed = round.with(candidate);
  require_time(changed.step);
  known = changed.step;
  return changed;
}

}  // namespace stepcast
