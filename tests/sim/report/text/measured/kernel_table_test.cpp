#include "sim/report/text/measured/kernel_table.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

TEST(KernelTableTest, TellsBothRanksAndTheirKernels) {
  Diagnosis diagnosis;
  diagnosis.ranks = {{.number = 4}, {.number = 7}};
  diagnosis.uses = {{.rank = 0, .computing = Seconds{0.02}},
                    {.rank = 1, .computing = Seconds{0.01}}};
  EXPECT_EQ(render_uneven_kernels(diagnosis), "");
  diagnosis.uneven_kernels = {
      .slowest = 0,
      .fastest = 1,
      .kinds = {{"forward: gemm", {3, Seconds{0.015}}, {3, Seconds{0.005}}}}};
  EXPECT_EQ(
      render_uneven_kernels(diagnosis),
      "\nOf ranks that do the same, rank 4 computes longest and rank 7 shortest, 20 ms and 10 ms "
      "a step. Most\nof it goes with:\n"
      "kernel         count  slowest ms  fastest ms  longer by\n"
      "-------------  -----  ----------  ----------  ---------\n"
      "forward: gemm      3       15.00        5.00      10.00\n");
}

}  // namespace
}  // namespace stepcast
