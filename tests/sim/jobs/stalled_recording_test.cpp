// One recording, read by all commands: they say the same of its step and of its stalls.
#include <algorithm>
#include <filesystem>
#include <span>

#include <gtest/gtest.h>

#include "models/workload/workload.hpp"
#include "sim/jobs/diagnose/diagnosis.hpp"
#include "sim/jobs/edits/job_steps.hpp"
#include "sim/jobs/replay.hpp"
#include "tests/support/recorded_data.hpp"
#include "tests/support/trace_folder.hpp"
#include "tests/traces/formats/kineto/made_trace.hpp"
#include "traces/catalog.hpp"
#include "traces/formats/import.hpp"
#include "traces/ideal_cluster.hpp"
#include "traces/job/read_job.hpp"

namespace stepcast {
namespace {

constexpr double kExact = 1e-9;
constexpr double kMicro = 1e-6;

/// Ten steps of a host that prepares data for 100 us, launches 100 us of computation and an update
/// of 60 us and waits until both are done, 300 us in all. In four of them the data comes 400 to
/// 1000 us late. The first has no step before it, so that nine are whole.
std::string stalling() {
  MadeTrace trace;
  double now = 1000;
  for (int i = 0; i < 10; ++i) {
    const double late = i % 3 == 2 ? 200.0 * i : i == 9 ? 1000 : 0;
    trace.step(i, now, 300 + late);
    const double begin = now + late + 100;
    trace.host("aten::linear", begin, 20);
    trace.launched("gemm", 7, begin + 5, begin + 10, 100);
    trace.host("aten::add_", begin + 30, 10);
    trace.launched("update", 7, begin + 35, begin + 110, 60);
    trace.call("cudaDeviceSynchronize", begin + 50, 125, 5000 + i);
    now += 300 + late;
  }
  return trace.text();
}

// Six usual steps of 300 us less the first; steps 2, 5, 8 and 9 are 400, 1000, 1600 and 1000 us
// late: (700 + 1300 + 1900 + 1300) / 4 = 1300 us each.
TEST(StalledRecording, AllCommandsTellTheUsualStepFromTheStalls) {
  const TraceFolder folder;
  const std::filesystem::path file = folder.text("trace.json", stalling());
  const std::span paths(&file, 1);
  ImportReport report;

  const TraceSummary summary = inspect_trace(paths, {}, report);
  EXPECT_NEAR(summary.device_step->value, 300 * kMicro, kExact);
  EXPECT_EQ(std::ranges::count(summary.steps, true, &StepSummary::stalled), 4);

  const Workload workload = import_trace(file, {.batch = 8}, report);
  EXPECT_NEAR((forward_time(workload) + backward_time(workload) + workload.update).value,
              300 * kMicro, kExact);
  const auto tells = [](const std::string& note) {
    return note.find("4 of 9 steps stall") != std::string::npos;
  };
  EXPECT_TRUE(std::ranges::any_of(workload.provenance.notes, tells));

  const auto steps = record_trace(paths, false, report);
  EXPECT_NEAR(replay(steps, ideal_cluster(1, 1), {}).mean.value, 300 * kMicro, kExact);

  const Job job = read_job(paths, {}, report);
  const Diagnosis diagnosis = diagnose(job);
  EXPECT_NEAR(diagnosis.recorded_step.value, 300 * kMicro, kExact);
  EXPECT_NEAR(diagnosis.pace.stalled.value, 1300 * kMicro, kExact);
  EXPECT_EQ(diagnosis.verdict.kind, VerdictKind::Host);
  EXPECT_NE(diagnosis.verdict.text.find("4 of 9 steps"), std::string::npos)
      << diagnosis.verdict.text;

  const RecordedSteps recorded = editable_steps(job);
  EXPECT_NEAR(recorded.recorded.value, 300 * kMicro, kExact);
  EXPECT_NEAR(recorded.step.time(recorded.step.graphs).step.value, 300 * kMicro, kExact);
}

// Of 29 whole steps 15 take 150 to 171 ms, 157.27 on average, and 14 take 279 to 829 ms, with as
// much computation; all together 333.6 ms on average.
TEST(StalledRecording, HalfOfTheStepsOfAPublishedTraceStall) {
  const std::filesystem::path file = recorded_data("kineto/param_resnet18_rtx2080ti.json.gz");
  if (!std::filesystem::exists(file))
    GTEST_SKIP() << file << " is not there";
  ImportReport report;
  const std::span paths(&file, 1);
  EXPECT_NEAR(inspect_trace(paths, {}, report).device_step->value, 157.27e-3, 0.01e-3);
  const Job job = read_job(paths, {}, report);
  const RecordedPace pace = editable_steps(job).pace;
  EXPECT_EQ(pace.stalled_steps, 14U);
  EXPECT_EQ(pace.usual_steps, 15U);
  EXPECT_NEAR(pace.usual.value, 157.27e-3, 0.01e-3);
  EXPECT_NEAR(pace.all.value, 333.6e-3, 0.05e-3);
}

// 100 + 60 us of kernels: what the host and its launches take is none of the device's.
TEST(StalledRecording, ReplayAndDiagnosisMeanTheSameStepWithoutItsHost) {
  const TraceFolder folder;
  const std::filesystem::path file = folder.text("trace.json", stalling());
  const std::span paths(&file, 1);
  ImportReport report;
  const Cycles cycles = find_cycles(record_trace(paths, false, report), ideal_cluster(1, 1), {});
  const Diagnosis diagnosis = diagnose(read_job(paths, {}, report));
  EXPECT_NEAR(cycles.device.value, 160 * kMicro, kExact);
  EXPECT_NEAR(diagnosis.gains.no_host_gaps.value, 160 * kMicro, kExact);
}

// 450 us of kernels and an all-reduce of 70 us, one after the other: 520 us. A launch takes 5 us to
// the device, which replay counted and diagnose did not.
TEST(StalledRecording, ReplayAndDiagnosisAgreeOnTheSmallTrace) {
  const std::filesystem::path file = data_root() / "tests/golden/data/small-trace.json";
  const std::span paths(&file, 1);
  ImportReport report;
  const Cycles cycles = find_cycles(record_trace(paths, false, report), ideal_cluster(1, 1), {});
  const Diagnosis diagnosis = diagnose(read_job(paths, {}, report));
  EXPECT_NEAR(cycles.device.value, 520 * kMicro, kExact);
  EXPECT_NEAR(diagnosis.gains.no_host_gaps.value, 520 * kMicro, kExact);
}

/// Five steps of 300 us: 100 us of computation, an all-reduce of 150 us that nothing waits for and
/// that goes on for 30 us in the next step, and an update of 50 us. Where `lost`, one more kernel
/// of 40 us was launched before the update but has no record.
std::string reducing_into_the_next_step(bool lost) {
  MadeTrace trace;
  for (int i = 0; i < 5; ++i) {
    const double begin = 1000 + 300 * i;
    trace.step(i, begin, 300);
    trace.host("aten::linear", begin, 20);
    trace.launched("gemm", 7, begin + 5, begin + 10, 100);
    trace.host("c10d::allreduce_", begin + 22, 12);
    trace.launched("ncclDevKernel_AllReduce_Sum_f32", 20, begin + 25, begin + 180, 150);
    trace.host("aten::add_", begin + 40, 10);
    if (lost)
      trace.call("cudaLaunchKernel", begin + 42, 1, 9000 + i);
    trace.launched("update", 7, begin + 45, begin + 150, 50);
    trace.call("cudaStreamSynchronize", begin + 60, 145, 5000 + i);
  }
  return trace.text();
}

Seconds difference(const std::filesystem::path& file) {
  const std::span paths(&file, 1);
  ImportReport report;
  const Cycles cycles = find_cycles(record_trace(paths, false, report), ideal_cluster(1, 1), {});
  return cycles.device - diagnose(read_job(paths, {}, report)).gains.no_host_gaps;
}

TEST(StalledRecording, ReplayAndDiagnosisAgreeOnWorkThatGoesOnInTheNextStep) {
  const TraceFolder folder;
  for (const bool lost : {false, true}) {
    const std::filesystem::path file = folder.text("trace.json", reducing_into_the_next_step(lost));
    EXPECT_NEAR(difference(file).value, 0, kExact) << lost;
  }
}

// The device idles for 40 us behind the launch of a kernel that has no record: it computed then.
TEST(StalledRecording, LostWorkIsTimeOfTheDevice) {
  const TraceFolder folder;
  const auto device_time = [&](bool lost) {
    const std::filesystem::path file = folder.text("trace.json", reducing_into_the_next_step(lost));
    const std::span paths(&file, 1);
    ImportReport report;
    return find_cycles(record_trace(paths, false, report), ideal_cluster(1, 1), {}).computation;
  };
  EXPECT_NEAR(device_time(false).value, 150 * kMicro, kExact);
  EXPECT_NEAR(device_time(true).value, 190 * kMicro, kExact);
}

// They differed by 5 % where CUDA graphs run one step into the next.
TEST(StalledRecording, ReplayAndDiagnosisAgreeOnPublishedTraces) {
  std::size_t compared = 0;
  for (const char* name :
       {"hta_16xa100_cuda_graphs_rank0.json.gz", "hta_resnet50_ddp_2xa100_rank0.json.gz",
        "kineto_resnet50_v100_workers0.json.gz", "tracelens_qwen_h100_one_step.json.gz",
        "tracelens_resnet18_ddp_mi300_rank0.json.gz"}) {
    const std::filesystem::path file = recorded_data(std::string("kineto/") + name);
    if (!std::filesystem::exists(file))
      continue;
    EXPECT_NEAR(difference(file).value, 0, kExact) << name;
    ++compared;
  }
  if (compared == 0)
    GTEST_SKIP() << "no published trace is there";
}

}  // namespace
}  // namespace stepcast
