// Recorded steps in which what holds up the others is mended: what waited for it comes earlier.
#include "sim/jobs/edits/job_steps.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sim/jobs/job_replay.hpp"
#include "sim/search/step_search.hpp"
#include "tests/support/made_job.hpp"
#include "tests/support/made_pipeline.hpp"
#include "tests/support/recorded_data.hpp"
#include "tests/support/table_job.hpp"
#include "traces/job/read_job.hpp"

namespace stepcast {
namespace {

EditedStep edited_with(const Job& job, const std::vector<std::string>& edits) {
  std::vector<EditRequest> asked;
  for (const std::string& edit : edits)
    asked.push_back(parse_edit_request(edit));
  EditedStep result;
  edit_step(editable_steps(job).step, asked, false, result);
  return result;
}

// Passes of 10 and 20 ms, of the slow stage 20 and 40 ms. Messages were asked for when a rank's
// pass was over: by how much later than they could have come stayed as it was. A receive that began
// with its send may have been asked for before, and hides its millisecond.
TEST(JobStepsTest, AnEvenedStageTakesWhatEvenStagesTake) {
  for (const bool asked_late : {false, true})
    for (int slow = 0; slow < 4; ++slow) {
      const MadePipeline even{.micro_batches = 8, .message = 0.001, .asked_late = asked_late};
      MadePipeline uneven = even;
      uneven.forward = [=](int stage, int, int) { return stage == slow ? 0.020 : 0.010; };
      uneven.backward = [=](int stage, int, int) { return stage == slow ? 0.040 : 0.020; };
      const EditedStep step = edited_with(
          table_job(uneven.text()),
          {fmt::format("scale stage={} by=1/2", slow) + " kind=forward-compute,backward-compute"});
      const Seconds expected = editable_steps(table_job(even.text())).recorded;
      EXPECT_NEAR(step.step_after / expected, 1, 0.01) << slow << asked_late;
    }
}

// Seven steps of 124 ms and five that compute 1.3 times as long: all are usual, and the five
// nearest to the median are short ones. Gains beside them are not those of the mean step.
TEST(JobStepsTest, EditedStepsOfAnotherMeanAreTold) {
  const auto told = [](double times) {
    const MadeJob job{.pass = [=](int, int step, int, bool forward) {
      return (forward ? 0.010 : 0.020) * (step % 12 < 7 ? 1 : times);
    }};
    const RecordedSteps steps = editable_steps(table_job(job.text()));
    return std::ranges::any_of(steps.step.notes, [](const std::string& note) {
      return note.starts_with("of 12 usual steps the 5 nearest to their median are edited");
    });
  };
  EXPECT_FALSE(told(1));
  EXPECT_FALSE(told(1.001));
  EXPECT_TRUE(told(1.3));
}

/// By kind, the mean time of what it computes on the stages that are meant.
template <typename IsMeant>
std::vector<double> mean_times(const Job& job, IsMeant is_meant) {
  std::vector<double> sums(job.kinds.size());
  std::vector<double> counts(job.kinds.size());
  for (const JobStep& step : job.steps)
    for (const JobOperation& done : step.operations)
      if (is_meant(job.ranks[done.rank].stage)) {
        sums[done.kind] += (done.end - done.begin).value;
        counts[done.kind] += 1;
      }
  for (std::size_t kind = 0; kind < sums.size(); ++kind)
    sums[kind] /= std::max(1.0, counts[kind]);
  return sums;
}

Seconds gain_of(const EditedStep& step, std::size_t first) {
  Seconds gain{};
  for (std::size_t i = first; i < step.accepted.size(); ++i)
    gain += step.accepted[i].gain;
  return gain;
}

// ByteDance's job, whose last stage is too long: without delays of the host the evened step comes
// near the ideal one, and with them the edits gain what they do without.
TEST(JobStepsTest, TheLastStageOfStGainsWhatItsDiagnosisPromises) {
  const std::filesystem::path folder = recorded_data("multirank/bytedance_stragglers");
  STEPCAST_SKIP_WITHOUT(folder);
  ImportReport report;
  const std::filesystem::path path = folder / "ST.csv.gz";
  const Job job = read_job(std::span(&path, 1), folder / "jobs.csv", report);
  const auto last = mean_times(job, [](std::uint32_t stage) { return stage == 3; });
  const auto others = mean_times(job, [](std::uint32_t stage) { return stage != 3; });
  std::vector<std::string> edits;
  for (std::size_t kind = 0; kind < last.size(); ++kind)
    if (const JobWork work = job.kinds[kind].work;
        work == JobWork::Forward || work == JobWork::Backward)
      edits.push_back(fmt::format("scale stage=3 kind={} by={}", job.kinds[kind].part,
                                  others[kind] / last[kind]));
  const EditedStep delayed = edited_with(job, edits);
  edits.insert(edits.begin(), "scale of=delay by=0");
  const EditedStep step = edited_with(job, edits);
  EXPECT_GT(gain_of(step, 1), Seconds{0.5});
  EXPECT_NEAR(gain_of(delayed, 0) / gain_of(step, 1), 1, 0.03);
  const JobReplay replay(job);
  const double ideal = replay.mean_with([&](const ReplayedOperation& of) {
    return of.transfers() ? of.ideal : others[of.done.kind];
  });
  EXPECT_LT(step.step_after.value / ideal, 1.05);
}

}  // namespace
}  // namespace stepcast
