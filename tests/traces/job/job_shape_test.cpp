#include "traces/job/job_shape.hpp"

#include <fstream>

#include <gtest/gtest.h>

#include "tests/support/input_error.hpp"

namespace stepcast {
namespace {

class JobShapeTest : public testing::Test {
 protected:
  JobShape read(const std::string& text, const std::string& trace) const {
    std::ofstream(path_) << text;
    return read_job_shape(path_, trace);
  }
  std::string error_of(const std::string& text, const std::string& trace = "ST.csv") const {
    const std::string error = input_error_of([&] { read(text, trace); });
    return error.substr(error.find(": ") + 2);
  }
  void TearDown() override { std::filesystem::remove(path_); }

  std::filesystem::path path_ = testing::TempDir() + "/job-shape-test";
};

TEST_F(JobShapeTest, TheRowOfATableIsFoundByTheTracesName) {
  const std::string table =
      "# sizes\njob,dp,pp,gpus,ranks_in_file\nS,9,9,81,9\nST,2,4,8,8\nSE,32,2,128,64\n";
  EXPECT_EQ(read(table, "data/SE_steps_1_to_21.csv.gz").data, 32U);
  EXPECT_EQ(read(table, "ST.csv.gz").pipeline, 4U);
  EXPECT_EQ(read(table, "ST").gpus, 8U);
  EXPECT_EQ(error_of(table, "STX.csv"),
            "expected a job with which the name of STX.csv begins, found S, ST, SE");
}

TEST_F(JobShapeTest, AnObjectSaysWhereRanksRun) {
  const JobShape shape = read(R"({"dp": 2, "hosts": ["a", "b"]})", "x.csv");
  EXPECT_EQ(shape.data, 2U);
  EXPECT_EQ(shape.hosts, (std::vector<std::string>{"a", "b"}));
}

TEST_F(JobShapeTest, SizesAreOfEveryStageOrEach) {
  const JobShape each =
      read(R"({"gradient_bytes": [8, 4], "message_bytes": 2, "recorded_on": "dgx-a100"})", "x.csv");
  EXPECT_EQ(each.sizes.gradients, (std::vector<double>{8, 4}));
  EXPECT_EQ(each.sizes.message, 2);
  EXPECT_EQ(each.recorded_on, "dgx-a100");
  const JobShape all = read("job,parameter_bytes,tied_bytes\nx,1e9,5\n", "x.csv");
  EXPECT_EQ(all.sizes.parameters, (std::vector<double>{1e9}));
  EXPECT_EQ(all.sizes.tied, 5);
  EXPECT_NE(error_of(R"({"gradient_bytes": [8, "x"]})")
                .find("gradient_bytes: expected a number of "
                      "bytes above 0 and at most 1e15, or a "
                      "list of one for each stage, found"),
            std::string::npos);
  EXPECT_NE(
      error_of(R"({"message_bytes": 1e20})").find("message_bytes: expected a number of bytes"),
      std::string::npos);
  EXPECT_NE(error_of("job,tied_bytes\nST,-1\n").find("tied_bytes: expected a number of bytes"),
            std::string::npos);
}

// Its bytes were printed as the name of a column.
TEST_F(JobShapeTest, CompressedFilesAreToldSo) {
  EXPECT_EQ(error_of("\x1f\x8b\b..."),
            "expected a job file as plain JSON or CSV, found gzip-compressed data");
}

// What an error says ends with a zero: this one was empty.
TEST_F(JobShapeTest, WhatIsNoTextIsToldSo) {
  EXPECT_EQ(error_of(std::string("\0\1", 2)),
            "expected a heading with the names of the columns, found no text");
}

TEST_F(JobShapeTest, WrongFieldsAreNamed) {
  EXPECT_EQ(error_of(R"({"hosts": []})"), "/hosts: expected the host of each rank, found none");
  EXPECT_NE(error_of(R"({"dp": "2"})").find("/dp"), std::string::npos);
  EXPECT_NE(error_of(R"({"pb": 2})").find("pb"), std::string::npos);
  EXPECT_NE(error_of(R"({"dp": 99999999999})").find("expected at most 1000000"), std::string::npos);
  EXPECT_NE(error_of("job,dp\nST,two\n").find("dp: expected a whole number from 1 on"),
            std::string::npos);
  EXPECT_NE(error_of("[1]").find("expected an object"), std::string::npos) << error_of("[1]");
}

TEST_F(JobShapeTest, ATableHasKnownColumnsAndOneRowForEachJob) {
  EXPECT_EQ(error_of("job,dp\nST,2\nST,4\n").substr(0, 40),
            "job: expected one row for each job, foun");
  EXPECT_EQ(error_of("job,micro_batch\nST,2\n").substr(0, 60),
            "micro_batch: expected columns job, ranks_in_file, recorded_o");
}

TEST_F(JobShapeTest, HostsThatContradictGpusPerHostAreRefused) {
  EXPECT_EQ(
      input_error_of([] {
        check_job_shape({.hosts = {"a", "a", "b", "b"}, .gpus_per_host = 1}, 4, "x.csv");
      }),
      "x.csv: expected at most gpus_per_host = 1 ranks on a host, as the job file says, found "
      "more on a, as its hosts say");
  check_job_shape({.hosts = {"a", "a", "b", "b"}, .gpus_per_host = 2}, 4, "x.csv");
}

}  // namespace
}  // namespace stepcast
