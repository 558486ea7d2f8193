#include "traces/catalog.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

#include "tests/support/input_error.hpp"
#include "traces/formats/stepcast/experiments/measurements_reader.hpp"

namespace stepcast {
namespace {

namespace fs = std::filesystem;

/// Points the catalog at the source tree, whatever may be installed here.
class Catalog : public testing::Test {
 protected:
  void SetUp() override { setenv("STEPCAST_DATA", STEPCAST_SOURCE_DIR, 1); }
  void TearDown() override { unsetenv("STEPCAST_DATA"); }
};

/// Points the catalog at a folder of its own.
class SmallCatalog : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(testing::TempDir()) / (std::string("stepcast-catalog-") + test->name());
    fs::create_directories(folder_ / "traces/workloads");
    for (const char* name : {"b.json", "a.json", "notes.txt"})
      std::ofstream(folder_ / "traces/workloads" / name) << "{}";
    setenv("STEPCAST_DATA", folder_.c_str(), 1);
  }
  void TearDown() override {
    fs::remove_all(folder_);
    unsetenv("STEPCAST_DATA");
  }
  fs::path folder_;
};

TEST_F(SmallCatalog, ListsJsonFilesSorted) {
  EXPECT_EQ(list_names(CatalogKind::Workload), (std::vector<std::string>{"a", "b"}));
}

TEST_F(SmallCatalog, AnAbsentFolderListsNothing) {
  EXPECT_TRUE(list_names(CatalogKind::Cluster).empty());
}

TEST_F(SmallCatalog, FindsAFileByItsName) {
  EXPECT_EQ(find_workload("a"), folder_ / "traces/workloads/a.json");
}

TEST_F(SmallCatalog, ExperimentPathsAreRelativeToTheFile) {
  std::ofstream(folder_ / "e.json")
      << R"({"format": "stepcast-experiment", "version": 1, "schedule": "dear",
             "workload": "mine.json", "cluster": "ideal-2x2"})";
  const Experiment experiment = load_experiment((folder_ / "e.json").string());
  EXPECT_EQ(experiment.workload, (folder_ / "mine.json").string());
  EXPECT_EQ(experiment.cluster, "ideal-2x2");
}

TEST_F(SmallCatalog, ExperimentsNameNothingOutsideTheirFolderUnlessThatIsAllowed) {
  const std::string path = (folder_ / "e.json").string();
  for (const std::string name : {"../secret.json", "/etc/secret.json", "a/../../secret.json"}) {
    std::ofstream(path) << R"({"format": "stepcast-experiment", "version": 1, "schedule": "dear",
        "cluster": "ideal-2x2", "workload": ")"
                        << name << "\"}";
    EXPECT_EQ(input_error_of([&] { load_experiment(path); }),
              path + ": /workload: \"" + name +
                  "\" leads out of the folder of the file that names it; --allow-paths follows it");
    setenv("STEPCAST_ALLOW_PATHS", "1", 1);
    EXPECT_EQ(input_error_of([&] { load_experiment(path); }), "no error");
    unsetenv("STEPCAST_ALLOW_PATHS");
  }
}

TEST_F(SmallCatalog, NoFieldOfAnExperimentLeadsOutOfItsFolder) {
  const std::string path = (folder_ / "e.json").string();
  for (const std::string field : {"second_workload", "cluster.collectives"}) {
    std::ofstream(path) << R"({"format": "stepcast-experiment", "version": 1, "schedule": "dear",
        "cluster": "ideal-2x2", "workload": "a.json", "set": {")"
                        << field << R"(": "/etc/secret.json"}})";
    EXPECT_NE(
        input_error_of([&] { load_experiment(path); }).find("leads out of the folder of the file"),
        std::string::npos);
  }
}

TEST_F(SmallCatalog, ALinkInTheFolderDoesNotLeadOutOfItEither) {
  fs::create_directory(folder_ / "theirs");
  fs::create_symlink(folder_ / "traces/workloads/a.json", folder_ / "theirs/link.json");
  const std::string path = (folder_ / "theirs/e.json").string();
  std::ofstream(path) << R"({"format": "stepcast-experiment", "version": 1, "schedule": "dear",
        "cluster": "ideal-2x2", "workload": "link.json"})";
  EXPECT_NE(input_error_of([&] { load_experiment(path); }).find("leads out of the folder"),
            std::string::npos);
}

TEST_F(SmallCatalog, MeasurementsAndTransformersNameNothingOutsideTheirFolderEither) {
  const std::string path = (folder_ / "m.json").string();
  std::ofstream(path) << R"({"format": "stepcast-measurements", "version": 1, "name": "m",
      "provenance": {"kind": "measured", "source": "s"}, "cases": [{"schedule": "dear",
      "cluster": "/etc/secret.json", "workload": "a", "use": "check", "measured_s": 1}]})";
  EXPECT_EQ(input_error_of([&] { read_measurements(path); }),
            path +
                ": /cases/0/cluster: \"/etc/secret.json\" leads out of the folder of the file "
                "that names it; --allow-paths follows it");
  std::ofstream(path) << R"({"format": "stepcast-transformer", "version": 1, "layers": 2,
      "hidden": 8, "heads": 2, "seq": 4, "vocab": 10, "device": "../secret.json"})";
  EXPECT_NE(input_error_of([&] { load_workload(path); }).find("leads out of the folder"),
            std::string::npos);
}

TEST_F(Catalog, UnknownNameSuggestsTheNearestAndTheList) {
  EXPECT_EQ(input_error_of([] { load_cluster("rtx2080ti-16x4-10bge"); }),
            "unknown cluster \"rtx2080ti-16x4-10bge\" (see stepcast list clusters); did you mean "
            "\"rtx2080ti-16x4-10gbe\"?");
  EXPECT_EQ(input_error_of([] { find_workload("qqq"); }),
            "unknown workload \"qqq\" (see stepcast list workloads)");
  EXPECT_NE(input_error_of([] { find_workload(""); }), "no error");
  EXPECT_EQ(input_error_of([] { find_workload("gpt3-175"); }),
            "unknown workload \"gpt3-175\" (see stepcast list workloads); did you mean "
            "\"gpt3-175b\"?");
  EXPECT_EQ(input_error_of([] { find_workload("gpt3-175b"); }),
            "unknown workload \"gpt3-175b\" (see stepcast list workloads); of a transformer say "
            "the device, too, as in transformer:model=gpt3-175b,device=a100 (see stepcast list "
            "transformers)");
}

TEST_F(Catalog, APathIsReturnedAsItIs) {
  EXPECT_EQ(find_workload("./x"), "./x");
  EXPECT_EQ(find_workload("x.json"), "x.json");
}

TEST_F(Catalog, LoadsAShippedClusterByNameAndByPath) {
  EXPECT_EQ(load_cluster("rtx2080ti-16x4-10gbe").ranks(), 64U);
  EXPECT_EQ(load_cluster(STEPCAST_SOURCE_DIR "/configs/clusters/rtx2080ti-16x4-10gbe.json").name,
            "rtx2080ti-16x4-10gbe");
}

TEST_F(Catalog, IdealClustersNeedNoFile) {
  EXPECT_EQ(load_cluster("ideal-3x5").ranks(), 15U);
}

TEST_F(Catalog, EveryShippedExperimentNamesAKnownCluster) {
  const std::vector<std::string> names = list_names(CatalogKind::Experiment);
  ASSERT_FALSE(names.empty());
  for (const std::string& name : names)
    EXPECT_EQ(input_error_of([&] { load_cluster(load_experiment(name).cluster); }), "no error")
        << name;
}

TEST(DataRoot, FindsTheSourceTreeWithoutTheEnvironment) {
  unsetenv("STEPCAST_DATA");
  EXPECT_TRUE(fs::is_directory(data_root() / "configs/clusters"));
}

TEST(DataRoot, RefusesAnEnvironmentThatNamesNoFolder) {
  setenv("STEPCAST_DATA", "/no/such/folder", 1);
  EXPECT_EQ(input_error_of([] { data_root(); }),
            "STEPCAST_DATA: expected a folder, found \"/no/such/folder\"");
  unsetenv("STEPCAST_DATA");
}

}  // namespace
}  // namespace stepcast
