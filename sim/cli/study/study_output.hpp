#pragma once

#include <vector>

#include "sim/cli/output/figure_file.hpp"
#include "sim/cli/page_file.hpp"
#include "sim/study/sweep/sweep.hpp"

namespace stepcast {

/// How the results of a study are shown.
struct StudyView {
  FigureFile figure{};
  PageFile page{};
  bool json = false;

  /// Nothing that needs all forecasts at once.
  bool is_only_json() const { return json && !figure.is_wanted() && !page.is_wanted(); }

  std::vector<CommandOption> options();
  /// Throws InputError if a file could not be written. To be called before long work.
  void check() const;
};

/// Prints the results of a study, as a table or JSON, and writes its picture and page; returns the
/// rows. Prints nothing where there are none. Throws InputError where every combination was
/// refused.
std::vector<SweepRow> print_study(const Sweep& sweep, const std::vector<SweepResult>& results,
                                  const StudyView& view);

/// What a command that has printed such results ends with: 1 if a worker died at one of them.
int exit_code_of(const std::vector<SweepResult>& results);

}  // namespace stepcast
