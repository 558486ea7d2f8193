// Profiles of ranks of two jobs that run the same.
#include <gtest/gtest.h>

#include "tests/support/input_error.hpp"
#include "tests/support/made_profiles.hpp"
#include "tests/support/profiled_job_of.hpp"
#include "tests/support/replaced.hpp"

namespace stepcast {
namespace {

constexpr double kIn2023 = 1.7e15;  // Microseconds since 1970.
constexpr double kHour = 3.6e9;

Job recorded_at(std::function<double(int)> offset) {
  MadeProfiles made;
  made.offset = std::move(offset);
  return profiled_job_of(made.texts());
}

// Six steps of .1 s.
TEST(TwoJobsTest, RecordingsThatDoNotOverlapAreToldApart) {
  const Job job = recorded_at([](int rank) { return kIn2023 + (rank == 3 ? kHour : 0); });
  EXPECT_NEAR(job.apart.value, 3600, 1);
  EXPECT_LT(job.apart, Seconds{3600});
}

TEST(TwoJobsTest, RecordingsOnClocksSomeMillisecondsApartOverlap) {
  EXPECT_EQ(recorded_at([](int rank) { return kIn2023 + 1000.0 * rank; }).apart, Seconds{});
}

// Such clocks tell nothing: hosts were started when they were.
TEST(TwoJobsTest, ClocksSinceTheStartOfAHostAreNotCompared) {
  EXPECT_EQ(recorded_at([](int rank) { return kHour * rank; }).apart, Seconds{});
}

TEST(TwoJobsTest, RanksWithOtherVersionsOfNcclAreRefused) {
  std::vector<std::string> texts = MadeProfiles().texts();
  for (std::size_t rank = 0; rank < texts.size(); ++rank)
    texts[rank] = replaced(texts[rank], R"("world_size": 4)",
                           fmt::format(R"("world_size": 4, "nccl_version": "2.1{}.1")", rank / 3));
  EXPECT_EQ(
      input_error_of([&] { profiled_job_of(texts); }),
      "rank3.json: expected NCCL 2.10.1 as in rank0.json, found 2.11.1: it joins ranks of one "
      "version");
}

}  // namespace
}  // namespace stepcast
