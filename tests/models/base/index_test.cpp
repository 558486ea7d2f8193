#include "models/base/index.hpp"

#include <gtest/gtest.h>

#include "tests/support/input_error.hpp"

namespace stepcast {
namespace {

TEST(Index, MoreThanAnIdCountsIsAnError) {
  EXPECT_EQ(checked_short_id(65'535, "phases"), 65'535U);
  EXPECT_EQ(input_error_of([] { checked_short_id(65'536, "phases"); }),
            "too many phases: ids have 16 bits");
  EXPECT_EQ(input_error_of([] { checked_id(0xFFFFFFFFU, "tasks"); }),
            "too many tasks: ids have 32 bits");
}

}  // namespace
}  // namespace stepcast
