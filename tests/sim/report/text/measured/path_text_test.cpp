#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/report/text/measured/diagnosis_report.hpp"

namespace stepcast {
namespace {

using testing::HasSubstr;
using testing::Not;

Diagnosis of_ranks(std::uint32_t count) {
  Diagnosis diagnosis{.undelayed_step = Seconds{0.1},
                      .path_by_kind = {{"forward", 0.995}, {"optimizer", 0.005}},
                      .path_step = "7",
                      .stretches = {{0, "forward", Seconds{}, Seconds{0.09}}}};
  for (std::uint32_t rank = 0; rank < count; ++rank) {
    diagnosis.ranks.push_back({.number = rank});
    diagnosis.uses.push_back({.rank = rank, .on_path = Seconds{0.01 * rank}});
  }
  return diagnosis;
}

std::string on_one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

TEST(PathTextTest, NamesTheRanksOnWhichItLiesLongest) {
  EXPECT_THAT(on_one_line(render_path(of_ranks(6))),
              HasSubstr("over all ranks is forward 99.5 %; it lies on rank 5 (50.0 %), rank 4 "
                        "(40.0 %), rank 3 (30.0 %), rank 2 (20.0 %) .. and changes"));
  EXPECT_THAT(on_one_line(render_path(of_ranks(6))),
              HasSubstr("Its longest segments in step 7, a usual one: forward on rank 0 (90 ms)."));
}

TEST(PathTextTest, OfOneRankNothingIsSaidOfOthers) {
  const std::string text = on_one_line(render_path(of_ranks(1)));
  EXPECT_THAT(text, HasSubstr("The critical path is forward 99.5 %. Its longest"));
  EXPECT_THAT(text, Not(HasSubstr("from rank to rank")));
  EXPECT_THAT(text, HasSubstr("a usual one: forward (90 ms)."));
}

TEST(PathTextTest, AStepThatIsCalledSoIsNotCalledSoTwice) {
  Diagnosis diagnosis = of_ranks(1);
  diagnosis.path_step = "step 1";
  EXPECT_THAT(on_one_line(render_path(diagnosis)), HasSubstr("segments in step 1, a usual one"));
}

}  // namespace
}  // namespace stepcast
