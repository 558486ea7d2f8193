#include "sim/cli/output/list_index.hpp"

#include <fstream>

#include <gtest/gtest.h>

namespace stepcast {
namespace {

namespace fs = std::filesystem;
using Cells = ListIndex::Cells;

fs::path write(const std::string& name, const std::string& text) {
  const fs::path file = fs::path(testing::TempDir()) / ("stepcast_list_index_" + name);
  std::ofstream(file) << text;
  return file;
}

const auto kUnread = []() -> Cells { return {"read"}; };

TEST(ListIndex, AFileThatItKnowsIsNotRead) {
  ListIndex made;
  const fs::path file = write("known", "the workload");
  EXPECT_EQ(made.cells_of("workload", file, [] { return Cells{"64", "", "1.5 ms"}; }).size(), 3U);
  ListIndex index(write("index", made.text()));
  EXPECT_EQ(index.cells_of("workload", file, kUnread), (Cells{"64", "", "1.5 ms"}));
  EXPECT_EQ(index.cells_of("device", file, kUnread), Cells{"read"});
}

TEST(ListIndex, AFileThatHasChangedByAByteIsRead) {
  ListIndex made;
  made.cells_of("workload", write("changed", "a workload of 16"), [] { return Cells{"16"}; });
  ListIndex index(write("index_of_changed", made.text()));
  EXPECT_EQ(index.cells_of("workload", write("changed", "a workload of 17"), kUnread),
            Cells{"read"});
}

TEST(ListIndex, WithoutAFileKnowsNothing) {
  ListIndex index(fs::path(testing::TempDir()) / "stepcast_no_such_index");
  EXPECT_EQ(index.cells_of("workload", write("any", "a"), kUnread), Cells{"read"});
}

}  // namespace
}  // namespace stepcast
