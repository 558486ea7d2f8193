#pragma once

#include "sim/jobs/edits/editable_step.hpp"
#include "traces/job/job.hpp"
#include "traces/stalled_steps.hpp"

namespace stepcast {

/// The recorded steps of a job, ready to be edited.
struct RecordedSteps {
  EditableStep step;
  Seconds recorded{};   ///< Mean of the steps that did not stall, also of those left out here.
  double error = 0;     ///< Mean |replayed - recorded| over recorded.
  RecordedPace pace{};  ///< Of all recorded steps.
};

/// Every operation takes its own time (in a meeting from the last arrival on) and is as late behind
/// what it waits for as it was. Of many steps that did not stall the `most` whose length is nearest
/// to their median.
///
/// Communications of another size take what the recorded ones of their kind say: start-up and
/// bandwidth from a line through theirs (Theil and Sen), among other numbers of ranks as a ring
/// does, 2 (N - 1) (a + b S / N). Where one size was recorded only the start-up is not known and
/// taken as nothing, which a note says. Throws InputError if the replay misses the recorded steps
/// by more than 10 %; from 5 % on a note doubts it.
RecordedSteps editable_steps(const Job& job, std::size_t most = 5);

}  // namespace stepcast
