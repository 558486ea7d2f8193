// Horovod's background thread: the order of its events, in the library's own timeline and here.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "models/schedule/list/registry.hpp"
#include "sim/engine/engine.hpp"
#include "sim/engine/policy/negotiated_policy.hpp"
#include "sim/engine/steps.hpp"
#include "tests/support/examples.hpp"
#include "tests/support/recorded_data.hpp"

namespace stepcast {
namespace {

using Words = std::vector<std::string>;

// ---- what Horovod writes (HOROVOD_TIMELINE_MARK_CYCLES), in the order of its times

/// Of the first buffer that is fused, and of the cycles from the one that agreed on it to the one
/// behind it. Its tensors take turns in each activity: the first one stands for them.
Words order_in(const std::string& text) {
  nlohmann::json events = nlohmann::json::parse(text.substr(0, text.find_last_of('}') + 1) + "]");
  std::stable_sort(events.begin(), events.end(), [](const auto& a, const auto& b) {
    return a.value("ts", 0.0) < b.value("ts", 0.0);
  });
  int tensor = -1;
  for (const auto& event : events)
    if (tensor < 0 && event.value("name", "") == "INIT_FUSION_BUFFER")
      tensor = event["pid"].get<int>();
  Words order;
  Words open;
  for (const auto& event : events) {
    const std::string name = event.value("name", "");
    if (name == "CYCLE_START") {
      order.push_back("cycle");
    } else if (event.value("pid", -1) != tensor || event["ph"] == "M" || event["ph"] == "X") {
      continue;
    } else if (event["ph"] == "B") {
      open.push_back(name);
      if (name == "NCCL_ALLREDUCE")
        order.push_back("on the wire");
    } else if (!open.empty()) {
      if (open.back() == "NEGOTIATE_ALLREDUCE")
        order.push_back("agreed");
      if (open.back() == "WAIT_FOR_DATA")
        order.push_back("data");
      if (open.back() == "NCCL_ALLREDUCE")
        order.push_back("done");
      open.pop_back();
    }
  }
  const auto agreed = std::ranges::find(order, "agreed");
  const auto done = std::ranges::find(order, "done");
  return {agreed - 1, done + 1};
}

const Words kOrder{"cycle", "agreed", "data", "cycle", "on the wire", "done"};

// Of our own, in Horovod's format, without its end.
constexpr const char* kMade = R"([
{"ph": "B", "name": "NEGOTIATE_ALLREDUCE", "ts": 1000, "pid": 1},
{"ph": "i", "name": "CYCLE_START", "ts": 1010, "s": "g"},
{"ph": "X", "name": "0", "ts": 1020, "pid": 1, "dur": 0},
{"ph": "E", "ts": 1021, "pid": 1},
{"ph": "B", "name": "ALLREDUCE", "ts": 1030, "pid": 1},
{"ph": "B", "name": "INIT_FUSION_BUFFER", "ts": 1031, "pid": 1},
{"ph": "E", "ts": 1032, "pid": 1},
{"ph": "B", "name": "WAIT_FOR_DATA", "ts": 1033, "pid": 1},
{"ph": "E", "ts": 1500, "pid": 1},
{"ph": "i", "name": "CYCLE_START", "ts": 6010, "s": "g"},
{"ph": "B", "name": "NCCL_ALLREDUCE", "ts": 6020, "pid": 1},
{"ph": "E", "ts": 9020, "pid": 1},
)";

TEST(HorovodThread, GoesOnBeforeWhatItHandedOverIsDone) {
  EXPECT_EQ(order_in(kMade), kOrder);
}

TEST(HorovodThread, DidSoWhereItWasRecorded) {
  const auto path = recorded_data("multirank/horovod/timeline_8_ranks_excerpt.json");
  STEPCAST_SKIP_WITHOUT(path);
  std::ifstream file(path);
  EXPECT_EQ(order_in({std::istreambuf_iterator<char>(file), {}}), kOrder);
}

// ---- and what the policy does

/// Tells the policy of time, and writes down what it does.
class Recorder : public Dispatcher {
 public:
  void launch(std::span<const Operation> operations, Seconds) override {
    order.push_back("on the wire");
    launched.assign(operations.begin(), operations.end());
  }
  void launch_on(Group, std::span<const Operation>, Seconds) override {}
  bool is_ready(Operation) const override { return has_data; }
  bool is_announced_early(Operation) const override { return true; }
  const Group& group_of(Operation) const override { return group_; }
  Bytes size_of(Operation) const override { return {4}; }
  bool may_fuse(Operation, Operation) const override { return true; }
  std::int32_t priority_of(Operation) const override { return 0; }
  Seconds overhead_of(Operation) const override { return {}; }
  Seconds now() override { return now_; }
  void wake_at(Seconds time, DispatchPolicy& policy) override {
    wakes_.emplace(time, &policy);
    order.push_back(std::exchange(is_cycle_, !is_cycle_) ? "cycle" : "agreed");
  }
  Seconds copy_time(Bytes) const override { return {}; }

  /// Lets the thread wake up as often as it asked for.
  void pass_time() {
    while (!wakes_.empty()) {
      const auto [time, policy] = *wakes_.begin();
      wakes_.erase(wakes_.begin());
      now_ = time;
      policy->wake();
    }
  }

  Words order;
  std::vector<Operation> launched;
  bool has_data = false;

 private:
  Group group_;
  Seconds now_{};
  bool is_cycle_ = true;  // a wake is asked for each cycle and for the end of its negotiation
  std::multimap<Seconds, DispatchPolicy*> wakes_;
};

// Two tensors are announced and agreed on; their data come; another is announced, and its cycle
// begins although the first buffer is not done. As in the recorded timeline, but that a buffer is
// on the wire as soon as it is handed over: the finalizer writes Horovod's activities.
TEST(HorovodThread, KeepsTheRecordedOrder) {
  Recorder recorder;
  NegotiatedPolicy policy({.cycle = Seconds{5e-3}, .fusion = Bytes{64}}, recorder);
  policy.announced({0, 0, 0});
  policy.announced({0, 1, 0});
  recorder.pass_time();
  EXPECT_EQ(recorder.order, (Words{"cycle", "agreed"}));
  recorder.has_data = true;
  policy.ready({0, 1, 0});
  EXPECT_EQ(recorder.launched.size(), 2U);
  policy.announced({0, 2, 0});
  recorder.pass_time();
  EXPECT_EQ(recorder.order, (Words{"cycle", "agreed", "on the wire", "cycle", "agreed"}));
  policy.finished({0, 0, 0});
  policy.finished({0, 1, 0});
  EXPECT_EQ(recorder.order.back(), "on the wire");  // one NCCL stream: only now
}

// ---- what follows for whole steps

// 10 layers, FF 1 ms and BP 2 ms each, 4 MB each; on 4 nodes at 1 GB/s 6 ms a layer.
const Workload kWorkload = examples::uniform_workload(10, {1e-3}, {2e-3}, 1'000'000);

double step(const ScheduleOptions& options, const EngineOptions& engine = {}) {
  const Cluster cluster = examples::plain_cluster(4);
  return step_time_of(build_plan("horovod", kWorkload, cluster, options), cluster, engine).value;
}

// All are announced at 10 ms and fill one buffer, which waits for the last gradient at 30 ms; its
// all-reduce takes 60 ms.
TEST(HorovodThread, AHostThatRunsAheadFillsTheBufferBeforeItsDataAreThere) {
  EXPECT_NEAR(step({{"run_ahead", "on"}}), 0.090, 1e-9);
}

// Two buffers of five: 20 to 50 ms, and 50 to 80 ms.
TEST(HorovodThread, WaitsForTheDataOfEachBuffer) {
  EXPECT_NEAR(step({{"fusion_buffer", "20MB"}, {"run_ahead", "on"}}), 0.080, 1e-9);
}

TEST(HorovodThread, AnnouncesTheSameWhetherRanksAreFoldedOrNot) {
  const ScheduleOptions options{{"fusion_buffer", "20MB"}, {"run_ahead", "on"}};
  const std::map<Rank, double> slow{{2, 1.5}};
  const double folded = step(options, {.stragglers = slow});
  EXPECT_NEAR(folded, step(options, {.stragglers = slow, .fold = false}), 1e-9);
  EXPECT_GT(folded, 0.080);
}

// 0.5 + 4 x 0.1 ms a cycle; without the cache 4 x 0.05 ms more for the tensor that begins, ready at
// 12 ms and met half a cycle later; the others are negotiated while it is on the wire.
TEST(HorovodThread, ResponseCacheSavesWhatTensorsCost) {
  Cluster cluster = examples::plain_cluster(4);
  cluster.software.negotiation_per_cycle = Seconds{0.5e-3};
  cluster.software.negotiation_per_rank = Seconds{0.1e-3};
  cluster.software.negotiation_per_request = Seconds{0.05e-3};
  const auto with = [&](const char* cache) {
    const ScheduleOptions options{{"response_cache", cache}};
    const Plan plan = build_plan("horovod", kWorkload, cluster, options);
    return step_time_of(plan, cluster, {}).value;
  };
  EXPECT_NEAR(with("on"), 0.0125 + 0.0009 + 0.060, 1e-9);
  EXPECT_NEAR(with("off"), 0.0125 + 0.0011 + 0.060, 1e-9);
}

}  // namespace
}  // namespace stepcast
