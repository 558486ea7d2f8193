#include "sim/study/edits/step_search.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "sim/study/edits/graph_path.hpp"
#include "sim/study/edits/lanes/lane_round.hpp"
#include "sim/study/stop.hpp"

namespace stepcast {
namespace {

struct BestOfRound {
  std::optional<LaneCandidate> candidate;
  ChangedStep changed;
};

class StepSearch {
 public:
  StepSearch(EditableStep step, EditedStep& result)
      : step_(std::move(step)), result_(result), now_(step_.time(step_.graphs)) {
    ++result_.simulated;
    if (!(result_.step_before > Seconds{}))
      result_.step_before = now_.step;
    result_.step_after = now_.step;
    result_.notes = step_.notes;
  }

  void apply(const EditRequest& request) {
    ++result_.tried;
    if (step_.replicated && request.verb == "replicate")
      return replicate(request);
    auto graphs = edited(step_.graphs, request, step_);
    try {
      TimedStep changed = timed(graphs);
      accept(EditKind::Asked, request.text, std::move(graphs), std::move(changed));
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: {}", request.text, error.what()));
    }
    asked_.push_back(request);
  }

  void search() {
    for (const char* recipe : {"cuda-graphs", "fused-optimiser", "kernel-fusion"})
      try_recipe(recipe);
    std::size_t before = 0;
    do {
      before = result_.accepted.size();
      while (now_.step > Seconds{} && stop_signal() == 0 && try_lanes() && !stalled()) {
      }  // What fused tensors wait for may be fused, too.
    } while (result_.accepted.size() > before && try_recipe("kernel-fusion"));
  }

  void finish() { result_.bound_by = path_in_words(step_.graphs.front(), now_); }

 private:
  /// Of edited graphs: that they cannot run, or have nothing to do, is the edit's fault.
  TimedStep timed(const std::vector<WorkGraph>& graphs) try {
    ++result_.simulated;
    TimedStep changed = step_.time(graphs);
    require_time(changed.step);
    return changed;
  } catch (const SimulationError& error) {
    throw InputError(error.what());
  }
  static void require_time(Seconds step) {
    if (!(step > Seconds{}))
      throw InputError("the step would take no time: expected something left that does");
  }
  void accept(EditKind kind, const std::string& text, std::vector<WorkGraph> graphs,
              TimedStep changed);
  bool shorter(Seconds step) const {
    constexpr double kRounding = 1e-9;
    return step < now_.step * (1 - kRounding);
  }
  void replicate(const EditRequest& request);
  bool try_recipe(const char* recipe);
  bool try_lanes();
  bool stalled() const;
  Seconds time(const LaneCandidate& candidate, LaneRound& round, BestOfRound& best);
  void time_cuts(const LaneCandidate& found, LaneRound& round, BestOfRound& best);

  EditableStep step_;
  EditedStep& result_;
  TimedStep now_;
  std::vector<EditRequest> asked_;  // So far, but for replicate.
};

void StepSearch::accept(EditKind kind, const std::string& text, std::vector<WorkGraph> graphs,
                        TimedStep changed) {
  result_.accepted.push_back(
      {.kind = kind, .text = text, .gain = now_.step - changed.step, .step = changed.step});
  step_.graphs = std::move(graphs);
  now_ = std::move(changed);
  result_.step_after = now_.step;
}

/// The schedule plans the larger step, to which is done what was asked for before.
void StepSearch::replicate(const EditRequest& request) try {
  const std::uint32_t ranks = graph_edit_of(request.verb, request.fields).count;
  EditableStep larger = step_.replicated(ranks);
  larger.replicated = std::move(step_.replicated);
  result_.memory_after += larger.memory - step_.memory;
  step_ = std::move(larger);
  std::vector<WorkGraph> graphs = step_.graphs;
  for (const EditRequest& earlier : asked_)
    graphs = edited(graphs, earlier, step_);
  TimedStep changed = timed(graphs);
  accept(EditKind::Asked, request.text, std::move(graphs), std::move(changed));
  result_.notes.push_back(
      fmt::format("\"{}\" plans the step anew for {} GPUs, each of which does as much as before",
                  request.text, ranks));
} catch (const InputError& error) {
  throw InputError(fmt::format("{}: {}", request.text, error.what()));
}

bool StepSearch::try_recipe(const char* recipe) {
  if (stop_signal() != 0)
    return false;
  try {
    auto graphs = edited(step_.graphs, edit_request_of(recipe, {}), step_);
    ++result_.tried;
    TimedStep changed = timed(graphs);
    const bool gains = shorter(changed.step);
    if (gains)
      accept(EditKind::Recipe, recipe, std::move(graphs), std::move(changed));
    return gains;
  } catch (const InputError&) {
    return false;  // Not for such a step, or nothing in it is meant.
  }
}

bool StepSearch::stalled() const {
  constexpr std::size_t kRounds = 5;
  constexpr double kLeast = 0.001;
  const auto& accepted = result_.accepted;
  if (accepted.size() < kRounds)
    return false;
  Seconds gain{};
  for (std::size_t i = accepted.size() - kRounds; i < accepted.size(); ++i)
    gain += accepted[i].gain;
  return gain < now_.step * kLeast;
}

/// Keeps it if it is the best. Of what would wait for itself: the step as it is.
Seconds StepSearch::time(const LaneCandidate& candidate, LaneRound& round, BestOfRound& best) try {
  ++result_.simulated;
  ChangedStep changed = round.with(candidate);
  const Seconds step = changed.step;
  require_time(step);
  if (shorter(step) && (!best.candidate || step < best.changed.step))
    best = {candidate, std::move(changed)};
  return step;
} catch (const InputError&) {
  return now_.step;
} catch (const SimulationError&) {
  return now_.step;
}

/// In 2, 4, 8, 16 pieces, and on to the number that theory gives, while that pays; and in that.
void StepSearch::time_cuts(const LaneCandidate& found, LaneRound& round, BestOfRound& best) {
  constexpr std::uint32_t kUsual = 16;
  LaneCandidate cut = found;
  const auto step_in = [&](std::uint32_t parts) {
    cut.parts = parts;
    cut.text = fmt::format("{} in {}", found.text, parts);
    return time(cut, round, best);
  };
  bool is_timed = false;
  Seconds shortest = now_.step;
  for (std::uint32_t parts = 2; parts <= std::max(kUsual, found.parts); parts *= 2) {
    is_timed = is_timed || parts == found.parts;
    const Seconds step = step_in(parts);
    if (step >= shortest || stop_signal() != 0)
      break;
    shortest = step;
  }
  if (!is_timed)
    step_in(found.parts);
}

bool StepSearch::try_lanes() {
  constexpr std::size_t kTimed = 4;
  LaneRound round(step_, now_);
  std::vector<LaneCandidate> found = round.candidates();
  result_.tried += found.size();
  std::ranges::stable_sort(found, std::ranges::greater(), &LaneCandidate::estimate);
  BestOfRound best;
  for (std::size_t i = 0; i < std::min(kTimed, found.size()); ++i)
    if (found[i].kind == EditKind::Fuse)
      time(found[i], round, best);
    else
      time_cuts(found[i], round, best);
  if (!best.candidate)
    return false;
  round.complete(*best.candidate, best.changed);
  accept(best.candidate->kind, best.candidate->text, std::move(best.changed.graphs),
         std::move(best.changed.timed));
  return true;
}

}  // namespace

void edit_step(EditableStep step, const std::vector<EditRequest>& asked, bool search,
               EditedStep& result) {
  const StopsBetweenJobs stops;
  StepSearch searching(std::move(step), result);
  for (const EditRequest& request : asked)
    searching.apply(request);
  if (search)
    searching.search();
  searching.finish();
}

}  // namespace stepcast
