#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/cli/output/figure_file.hpp"
#include "sim/cli/page_file.hpp"
#include "sim/study/crossover/boundaries.hpp"
#include "sim/study/sweep/sweep.hpp"

namespace stepcast {

/// How the results of a study are shown.
struct StudyView {
  FigureFile figure{};
  PageFile page{};
  std::string across{};  ///< A column for each value of this cell of the combinations.
  std::string map{};     ///< The same, of the fastest schedule only.
  bool json = false;

  /// Nothing that needs all forecasts at once.
  bool is_only_json() const {
    return json && !figure.is_wanted() && !page.is_wanted() && across.empty() && map.empty();
  }

  std::vector<CommandOption> options();
  /// Throws InputError if a file could not be written. To be called before long work.
  void check() const;
  /// Throws InputError if the study does not have the cell that is asked for, and for a map over
  /// schedules.
  void check(const Sweep& sweep) const;
};

/// What a study ends with.
struct StudyEnd {
  std::function<void()> finish{};  ///< Completes files that grew; throws where that failed.
  std::vector<JobBoundaries> boundaries{};  ///< Boundaries of a map over densities.
  std::function<std::string(const std::vector<SweepRow>&)> text{};  ///< Below the table.
};

/// Prints the results of a study, as a table or JSON, and writes its picture and page; returns the
/// rows. Prints nothing where there are none. Throws InputError where every combination was
/// refused, and where a file could not be written, after all else.
std::vector<SweepRow> print_study(const Sweep& sweep, const std::vector<SweepResult>& results,
                                  const StudyView& view, const StudyEnd& end);

/// What a command that has printed such results ends with: 1 if a worker died at one of them.
int exit_code_of(const std::vector<SweepResult>& results);

}  // namespace stepcast
