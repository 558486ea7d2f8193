#include "traces/formats/recognition/recognised_file.hpp"

#include <string>

#include <gtest/gtest.h>

#include "tests/support/input_error.hpp"
#include "tests/support/trace_folder.hpp"
#include "traces/formats/import.hpp"
#include "traces/job/read_job.hpp"

namespace stepcast {
namespace {

using std::string_literals::operator""s;

struct JobText {
  JobFormat format;
  std::string text;
  std::string title;
};

std::vector<JobText> job_texts() {
  return {
      {JobFormat::OperationsTable,
       "dp_rank,stage,rank,step,optype,start_ts,duration,seq_id\n0,0,0,0,forward-compute,0,1,0\n",
       "a table of operations"},
      {JobFormat::BytepsWorker,
       R"({"traceEvents": [{"ph": "X", "pid": "Comm.a", "name": "Comm.a.PUSH", "ts": 1, "dur": 1}]})",
       "BytePS's comm.json"},
      {JobFormat::BytepsServers,
       R"({"traceEvents": [{"ph": "B", "pid": "worker_0 -> server_1", "name": "a.PUSH", "ts": 1}]})",
       "a trace of BytePS's servers"},
      {JobFormat::RingChunks,
       R"({"traceEvents": [{"ph": "X", "name": "a.SEND", "args": {"chunkId": 1}}]})",
       "a record of the chunks of NCCL's rings, as dPRO writes it beside Horovod's timeline"},
      {JobFormat::FrameworkProfile,
       R"({"traceEvents": [{"ph": "M", "name": "process_name", "args": {"name": "/device:GPU:0"}}]})",
       "a trace of TensorFlow's or MXNet's profiler"},
  };
}

// It was "kineto trace" and a table of zeros, as any object with "traceEvents" was.
TEST(RecognisedFile, WhatDiagnoseAloneReadsIsNamedWithThatCommand) {
  const TraceFolder folder;
  for (const JobText& of : job_texts()) {
    const std::filesystem::path path = folder.text("a.json", of.text);
    EXPECT_EQ(recognise(path).job, of.format) << of.title;
    EXPECT_EQ(recognise(path).reader, nullptr) << of.title;
    const std::string expected =
        path.string() + ": is " + of.title + ": \"stepcast diagnose a.json\" reads it";
    const std::vector<std::filesystem::path> paths = {path};
    ImportReport report;
    EXPECT_EQ(input_error_of([&] { import_trace(paths, {}, report); }), expected);
    EXPECT_EQ(input_error_of([&] { inspect_trace(paths, {}, report); }), expected);
    EXPECT_EQ(input_error_of([&] { record_trace(paths, false, report); }), expected);
  }
}

TEST(RecognisedFile, ProfilesOfPyTorchMayNameWhatOthersName) {
  const TraceFolder folder;
  const RecognisedFile found = recognise(folder.text(
      "a.json",
      R"({"schemaVersion": 1, "traceEvents": [{"ph": "X", "cat": "user_annotation", "name": "Comm.a"}]})"));
  EXPECT_FALSE(found.job);
  EXPECT_EQ(found.name(), "kineto");
}

TEST(RecognisedFile, LogsAreNamedWithTheCommandThatReadsThem) {
  const TraceFolder folder;
  const auto error_of = [&](const std::string& text) {
    const std::filesystem::path path = folder.text("run.log", text);
    ImportReport report;
    const std::string error = input_error_of([&] { import_trace(path, {}, report); });
    EXPECT_TRUE(error.starts_with(path.string() + ": ")) << error;
    EXPECT_EQ(input_error_of([&] { read_job(std::span(&path, 1), "", report); }), error);
    return error.substr(path.string().size() + 2);
  };
  EXPECT_EQ(error_of("[2025-03-04 05:06:07] iteration 5\n  forward-compute ....: (1.0, 1.1)\n"),
            "is a log of Megatron-LM's timers: \"stepcast import run.log --device NAME --block "
            "model=NAME,micro_batch=N,micro_batches=N,blocks=N\" reads it");
  EXPECT_EQ(error_of("[1,0]<stdout>:#  out-of-place  in-place\n# size time algbw busbw\n"),
            "is the output of nccl-tests: \"stepcast calibrate run.log\" reads it");
}

// A bracket begins dates, ranks and levels of logs, too.
TEST(RecognisedFile, ALogWithABracketInFrontIsNoList) {
  const TraceFolder folder;
  for (const char* text : {"[2025-03-04 05:06:07] NEGOTIATE_ALLREDUCE \"ph\"\n",
                           "[rank0]: \"ph\" \"cat\" \"cpu_op\"\n", "[INFO] \"CPU functions\"\n"})
    EXPECT_FALSE(recognise(folder.text("run.log", text)).name()) << text;
}

}  // namespace
}  // namespace stepcast
