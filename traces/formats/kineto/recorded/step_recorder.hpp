#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "traces/formats/kineto/device_work.hpp"
#include "traces/formats/kineto/layers/layer_times.hpp"
#include "traces/replay/recorded_delays.hpp"

namespace stepcast {

/// A stretch of time of one thread.
struct HostSpan {
  Seconds begin{};
  Seconds end{};
};

/// A stretch in which another thread worked, and the stretch for which the training thread was idle
/// meanwhile.
struct HostBurst {
  HostSpan busy;
  HostSpan idle;
  bool called = false;  ///< The training thread was idle when it began: it called.
  bool waited_for() const { return called && busy.end <= idle.end; }
};

/// Stretches of a step in which `thread` was in no operator and no runtime call.
std::vector<HostSpan> idle_spans(const KinetoTrace& trace, const KinetoView& view,
                                 std::uint16_t thread, const KinetoStep& step);

/// What `thread` did in the step, in the idle stretches of the training thread.
std::vector<HostBurst> bursts_of(const KinetoTrace& trace, const KinetoView& view,
                                 std::uint16_t thread, const KinetoStep& step,
                                 const std::vector<HostSpan>& idle);

/// Operators and runtime calls of a thread that begin within the step, in order.
std::vector<std::uint32_t> host_events(const KinetoTrace& trace, const KinetoView& view,
                                       std::uint16_t thread, const KinetoStep& step);

/// "device stream 7"
std::string device_stream_name(std::int32_t stream);

/// Writes the tasks of one step.
class StepRecorder {
 public:
  /// `earlier`: until when the streams worked off what was launched before the step; `unwaited`:
  /// those whose collectives nothing has waited for yet, and then the same of this step.
  StepRecorder(const KinetoTrace& trace, const KinetoView& view, std::uint32_t step,
               StreamEnds earlier, std::set<std::string>& unwaited, ImportReport& report)
      : trace_(trace),
        view_(view),
        step_(view.steps.steps[step]),
        report_(report),
        earlier_(std::move(earlier)),
        unwaited_(unwaited) {
    const DeviceStep& on_device = view.device_steps[step];
    result_.name = step_.name;
    result_.recorded = on_device.duration();
    result_.begin = on_device.computed - on_device.duration();  // Also of a step that is alone.
    result_.whole = on_device.whole;
    result_.alone = on_device.alone;
    result_.stalled = on_device.stalled;
    result_.world_size = trace.world_size.value_or(0);
  }

  /// `work`: of this step, into KinetoView::work.
  RecordedStep run(const StepLayers& layers, const std::vector<std::uint32_t>& work);

 private:
  /// Work of one stream as it was launched, and when all of it up to there had ended.
  struct LaunchOrder {
    std::vector<std::uint32_t> tasks;
    std::vector<Seconds> latest_end;
  };

  /// What a call waited for: tasks, and streams that worked off what earlier steps launched.
  struct Waited {
    std::vector<std::uint32_t> tasks;
    std::vector<std::uint16_t> earlier;
    bool empty() const { return tasks.empty() && earlier.empty(); }
  };

  class Unwaited;

  void add_device_work(const std::vector<std::uint32_t>& all);
  RecordedTask task_of(const DeviceWork& work);
  void add_blocking_copy(RecordedTask task, std::uint32_t launch);
  void add_training_thread();
  void add_other_thread(std::uint16_t thread);
  void add_host_task(std::uint16_t stream, Seconds until);
  void add_call(std::uint16_t stream, std::uint32_t call);
  Seconds launched_at(std::uint32_t call, std::uint32_t work, bool blocking) const;
  void add_device_task(const RecordedTask& task, std::uint32_t launch);
  void wait_for(std::uint32_t task, Seconds until);
  Waited waited_works(std::uint32_t call) const;
  Waited ended_before_return(std::uint32_t call) const;
  Waited last_of(const Waited& waited, const KinetoEvent& call, bool binds) const;
  void cut_at_calls(Seconds until);
  void add_collective_dependencies();
  void add_checked(std::uint32_t before, std::uint32_t after);
  void add_gradients(const StepLayers& layers);
  void finish();
  std::uint16_t stream(const std::string& name);
  std::optional<Seconds> earlier_end(std::uint16_t stream) const;
  void order_launches();
  std::uint32_t last_launched(const std::vector<std::uint32_t>& tasks, Seconds before) const;
  std::uint32_t next_launched(std::uint16_t stream, Seconds after) const;
  std::vector<std::uint32_t> calls_in_order() const;
  std::uint32_t held_up_by(std::uint32_t wait) const;
  std::uint16_t stream_of_thread(std::uint32_t call) const;
  bool only_communicates(std::uint16_t stream) const;
  void add_stream_waits();
  void mark_lost_work();
  bool add_wait_for_earlier(std::uint32_t next);
  void doubt_collectives_without_waiter();
  std::vector<std::uint32_t> gradient_nodes() const;
  bool launches_collective(std::uint32_t call) const;

  const KinetoEvent& event(std::uint32_t index) const { return trace_.events[index]; }
  /// Of work whose launch was not recorded: before the step.
  Seconds launch_time(std::uint32_t task) const {
    return launch_of_[task] == kNoEvent ? step_.begin : event(launch_of_[task]).start;
  }
  Seconds end_of(std::uint32_t task) const {
    return result_.tasks[task].start + result_.tasks[task].duration;
  }

  const KinetoTrace& trace_;
  const KinetoView& view_;
  const KinetoStep& step_;
  ImportReport& report_;
  RecordedStep result_;
  std::map<std::string, std::uint16_t> streams_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> launched_;  // by launch: tasks
  std::unordered_set<std::uint32_t> receives_;                              // messages that do
  std::vector<std::uint32_t> launch_of_;  // of the device tasks, which come first
  std::vector<std::uint32_t> behind_;     // of the device tasks: the one before on its stream
  std::map<std::uint16_t, std::uint32_t> last_of_stream_;
  std::vector<LaunchOrder> on_stream_;                 // by stream
  std::vector<std::vector<std::uint32_t>> computing_;  // by thread: its launches beside collectives
  std::set<std::uint16_t> launching_threads_;
  std::vector<HostBurst> calls_;  // by the training thread, by begin
  std::size_t next_call_ = 0;
  std::map<Seconds, std::uint32_t> called_from_;  // begin of the idle stretch: task before it
  std::map<Seconds, std::uint32_t> returns_;      // begin of the idle stretch: last called task
  std::vector<std::pair<Seconds, std::uint32_t>> first_called_;  // idle stretch, first called task
  Seconds cursor_{};                              // the thread's time is written up to here
  std::vector<std::uint32_t> waits_;              // of the thread's next task
  std::vector<std::uint16_t> waits_for_earlier_;  // the same, for streams
  const StreamEnds earlier_;
  std::set<std::string>& unwaited_;
};

}  // namespace stepcast
