#include <algorithm>
#include <functional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/numbers.hpp"
#include "models/base/text.hpp"
#include "sim/report/text/measured/diagnosis_report.hpp"
#include "sim/report/text/table.hpp"

namespace stepcast {
namespace {

constexpr double kShown = 0.01;  // Of the path, or of the step.

std::string holding(const Diagnosis& diagnosis) {
  const auto most = std::ranges::max_element(diagnosis.uses, {}, &RankUse::holding);
  const bool in_order = diagnosis.stages > 1;  // A rank is late where another stage is.
  if (in_order || most->holding < kShown * diagnosis.recorded_step || most->holding <= Seconds{})
    return "";
  return fmt::format(
      "Rank {} kept the others of its collectives waiting for {} a step, more than any other "
      "rank. ",
      label_of(diagnosis.ranks[most->rank]), format_seconds(most->holding));
}

std::string kinds(const Diagnosis& diagnosis) {
  std::vector<std::string> shares;
  for (const KindOnPath& kind : diagnosis.path_by_kind)
    if (kind.share > kShown)
      shares.push_back(fmt::format("{} {}", kind.name, percent(kind.share)));
  return fmt::format("{}", fmt::join(shares, ", "));
}

/// The ranks on which it lies longest.
std::string ranks(const Diagnosis& diagnosis) {
  constexpr std::size_t kMostRanks = 4;
  std::vector<RankUse> uses = diagnosis.uses;
  std::ranges::stable_sort(uses, std::greater<>(), &RankUse::on_path);
  std::vector<std::string> shares;
  for (std::size_t i = 0; i < std::min(uses.size(), kMostRanks); ++i)
    if (const double share = uses[i].on_path / diagnosis.undelayed_step; share > kShown)
      shares.push_back(
          fmt::format("rank {} ({})", label_of(diagnosis.ranks[uses[i].rank]), percent(share)));
  const bool more = uses.size() > kMostRanks && uses[kMostRanks].on_path > Seconds{};
  return fmt::format("{}{}", fmt::join(shares, ", "), more ? " .." : "");
}

std::string stretches(const Diagnosis& diagnosis) {
  constexpr std::size_t kMostStretches = 4;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < std::min(diagnosis.stretches.size(), kMostStretches); ++i) {
    const PathStretch& stretch = diagnosis.stretches[i];
    const std::string where =
        diagnosis.ranks.size() == 1
            ? ""
            : fmt::format(" on rank {}", label_of(diagnosis.ranks[stretch.rank]));
    texts.push_back(
        fmt::format("{}{} ({})", stretch.part, where, format_seconds(stretch.duration)));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

/// A range of Nsight Systems may be called "step 12" itself.
std::string step_in_words(const std::string& name) {
  return name.starts_with("step") || name.starts_with("Step") ? name : "step " + name;
}

}  // namespace

std::string render_path(const Diagnosis& diagnosis) {
  const std::string longest = fmt::format("Its longest segments in {}, a usual one: {}.",
                                          step_in_words(diagnosis.path_step), stretches(diagnosis));
  if (diagnosis.ranks.size() == 1)
    return "\n" + wrap(fmt::format("The critical path is {}. {}", kinds(diagnosis), longest), 0);
  return "\n" + wrap(fmt::format("{}The critical path over all ranks is {}; it lies on {} and "
                                 "changes from rank to rank {:.1f} times a step. {}",
                                 holding(diagnosis), kinds(diagnosis), ranks(diagnosis),
                                 diagnosis.changes_of_rank, longest),
                     0);
}

}  // namespace stepcast
