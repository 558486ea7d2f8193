// What the profiles of a made job become as a workload. Six layers of 1 ms forward and 2 ms
// backward, a bucket behind every second one.
#include "sim/jobs/diagnose/job_workload.hpp"

#include <gtest/gtest.h>

#include "sim/jobs/diagnose/job_at_ranks.hpp"
#include "tests/support/input_error.hpp"
#include "tests/support/made_job.hpp"
#include "tests/support/made_profiles.hpp"
#include "tests/support/profiled_job_of.hpp"
#include "traces/ideal_cluster.hpp"
#include "traces/job/job_formats.hpp"

namespace stepcast {
namespace {

Job made_profile_job(const MadeProfiles& made) {
  return profiled_job_of(made.texts());
}

TEST(JobWorkloadTest, LayersAreWhatIsComputedBetweenReductions) {
  const Workload workload = workload_of(made_profile_job({}), true);
  EXPECT_NEAR(compute_time(workload).value, 0.0185, 1e-6);  // With an update of half a millisecond.
  EXPECT_NEAR(backward_time(workload).value, 0.012, 1e-6);
  EXPECT_EQ(tensor_count(workload), 3U);
  for (const Layer& layer : workload.layers)
    if (!layer.parameters.empty()) {
      EXPECT_NEAR(layer.backward.value, 0.004, 1e-6) << layer.name;
    }
  EXPECT_EQ(host_gap_time(workload), Seconds{});
}

// Rank 2 of four computes 1.4 times as long: the mean is 1.1 times as long, as recorded and ideal.
TEST(JobWorkloadTest, ItIsTheMeanOfTheRanks) {
  MadeProfiles made;
  made.kernel = [](int rank, int, int, bool forward) {
    return (forward ? 1000.0 : 2000.0) * (rank == 2 ? 1.4 : 1);
  };
  const Job job = made_profile_job(made);
  EXPECT_NEAR(backward_time(workload_of(job, true)).value, 0.0132, 1e-5);
  EXPECT_NEAR(backward_time(workload_of(job, false)).value, 0.0132, 1e-5);
}

// The same job on 8 GPUs with a fast network. A rank computes 18.5 ms a step, rank 2
// 18 * 1.4 + 0.5 = 25.7, their mean 20.3 ms: steps end with ranks 2 and 6, 5.4 ms
// later than alike ranks would.
TEST(JobWorkloadTest, OnMoreRanksTheSlowOnesHoldUpAll) {
  MadeProfiles made;
  made.kernel = [](int rank, int, int, bool forward) {
    return (forward ? 1000.0 : 2000.0) * (rank == 2 ? 1.4 : 1);
  };
  const Job job = made_profile_job(made);
  OtherSize size{.cluster = ideal_cluster(2, 4), .schedule = "ddp", .fidelity = Fidelity::Analytic};
  const JobAtRanks real = job_at_ranks(job, size);
  EXPECT_EQ(real.recorded_gpus, 4U);
  EXPECT_LT(real.step_error, 0.01);
  EXPECT_NEAR((real.step - real.even_step).value, 0.0054, 1e-5);
  size.ideal = true;
  const JobAtRanks ideal = job_at_ranks(job, size);
  EXPECT_EQ(ideal.step, ideal.even_step);
  EXPECT_EQ(ideal.spread.seeds, 0U);
}

TEST(JobWorkloadTest, JobsWithoutSizesAreRefused) {
  ImportReport report;
  const Job job = read_operations_csv(MadeJob{}.text(), "made.csv", {}, report);
  EXPECT_EQ(
      input_error_of([&] { workload_of(job, false); }),
      "made.csv: expected gradients reduced in all-reduces or reduce-scatters of known size, "
      "found none; gradient_bytes and recorded_on of the job file are of jobs of several stages");
}

}  // namespace
}  // namespace stepcast
