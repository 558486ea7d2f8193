#pragma once
// Time to solution: how long ways of training take to a target.

#include <string>
#include <vector>

#include "models/base/note.hpp"
#include "models/base/provenance.hpp"
#include "models/base/units.hpp"
#include "sim/forecast/likely_range.hpp"

namespace stepcast {

/// One way of training, forecast.
struct Solution {
  std::string label;
  std::string schedule;
  double epochs = 0;  ///< 0: not known.
  double iterations = 0;
  double rounds = 0;      ///< In which all ranks communicate; 0: not told.
  Seconds step{};         ///< Mean over the steps of a period.
  LikelyStep likely{};    ///< Where it is likely to lie.
  Provenance provenance;  ///< Of the count.
  Notes notes{};          ///< Of its plan: caveats, what tuning found.
  bool given = false;     ///< The user gave the count: nobody measured, derived or assumed it.

  Seconds total() const { return step * iterations; }
};

/// Returns the number of training steps in `epochs` of `samples` each. The last step of an epoch
/// may be smaller, so each epoch is rounded up.
double iterations_of(double epochs, double samples, double samples_of_step);

/// A table, speed-ups against the first, a sentence on who is fastest, and the notes.
std::string render_solutions(const std::string& heading, const std::vector<Solution>& solutions);

/// The same as JSON.
std::string solutions_json(const std::string& target, const std::string& workload,
                           const std::string& cluster, const std::string& fidelity,
                           const std::vector<Solution>& solutions);

}  // namespace stepcast
