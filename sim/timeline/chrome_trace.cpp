#include "sim/timeline/chrome_trace.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "sim/timeline/breakdown.hpp"
#include "sim/timeline/gzip.hpp"
#include "sim/timeline/trace_lanes.hpp"
#include "sim/timeline/why.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {

namespace {

constexpr ClassId kMostClasses = 64;

/// A text between quotes, as JSON wants it.
std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out += '\\';
    if (static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out += '"';
}

/// Writes events one by one. Times become whole nanoseconds first, so that slices that touch in
/// the simulation touch in the file and never overlap.
class TraceWriter {
 public:
  TraceWriter(const Workload& workload, const Plan& plan, const Timeline& timeline)
      : workload_(workload), plan_(plan), timeline_(timeline) {
    origin_ = timeline.begin;
    for (const Interval& interval : timeline.intervals[0])
      if (interval.end >= Seconds{})
        origin_ = std::min(origin_, interval.start);
  }

  std::string write() {
    out_ = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n";
    write_steps();
    const auto classes = static_cast<ClassId>(timeline_.classes.size());
    for (ClassId c = 0; c < std::min(classes, kMostClasses); ++c)
      write_class(c);
    out_ += "\n]";
    if (classes > kMostClasses)
      out_ += fmt::format(",\"otherData\":{{\"left_out\":\"{} of {} classes of ranks\"}}",
                          classes - kMostClasses, classes);
    return std::move(out_) + "}\n";
  }

 private:
  std::int64_t nanoseconds(Seconds time) const {
    return std::llround((time - origin_).value * 1e9);
  }

  /// Chrome traces count in microseconds.
  static double microseconds(std::int64_t time) { return static_cast<double>(time) * 1e-3; }

  template <class... Args>
  void event(fmt::format_string<Args...> format, Args&&... args) {
    out_ += first_ ? "{" : ",\n{";
    first_ = false;
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
    out_ += '}';
  }

  void name_process(std::uint32_t process, std::string_view name) {
    event(R"("ph":"M","name":"process_name","pid":{},"args":{{"name":{}}})", process,
          json_text(name));
    event(R"("ph":"M","name":"process_sort_index","pid":{},"args":{{"sort_index":{}}})", process,
          process);
  }

  void name_thread(std::uint32_t process, std::uint32_t thread, std::string_view name) {
    event(R"("ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":{}}})", process,
          thread, json_text(name));
    event(R"("ph":"M","name":"thread_sort_index","pid":{},"tid":{},"args":{{"sort_index":{}}})",
          process, thread, thread);
  }

  void write_steps() {
    name_process(0, fmt::format("{}: {}", plan_.schedule, workload_.name));
    name_thread(0, 0, "steps");
    const std::int64_t begin = nanoseconds(timeline_.begin);
    const std::int64_t end = nanoseconds(timeline_.begin + timeline_.iteration_time);
    if (begin > 0)
      event(R"("ph":"X","name":"step before","pid":0,"tid":0,"ts":0,"dur":{:.3f})",
            microseconds(begin));
    event(R"("ph":"X","name":"step","pid":0,"tid":0,"ts":{:.3f},"dur":{:.3f})", microseconds(begin),
          microseconds(end - begin));
    for (const std::int64_t mark : {begin, end})
      event(R"("ph":"i","s":"g","name":"{}","pid":0,"tid":0,"ts":{:.3f})",
            mark == begin ? "step begins" : "step ends", microseconds(mark));
  }

  std::string process_name(ClassId rank_class) const {
    const RankClass& ranks = timeline_.classes[rank_class];
    std::string name = ranks_of(timeline_, std::span(&rank_class, 1));
    if (ranks.count > 1)
      name += fmt::format(" ({} alike)", ranks.count);
    if (ranks.compute_scale != 1)
      name += fmt::format(", compute x{:.4g}", ranks.compute_scale);
    return name;
  }

  void write_class(ClassId rank_class) {
    const TraceLanes lanes = lanes_of(plan_, timeline_, rank_class);
    process_ = rank_class + 1;
    name_process(process_, process_name(rank_class));
    first_thread_.clear();
    std::uint32_t thread = 0;
    for (StreamId s = 0; s < plan_.streams.size(); ++s) {
      first_thread_.push_back(thread);
      for (std::uint32_t lane = 0; lane < lanes.lanes_of_stream[s]; ++lane)
        name_thread(process_, thread++,
                    lane == 0 ? plan_.streams[s].name
                              : fmt::format("{} ({})", plan_.streams[s].name, lane + 1));
    }
    for (const Slice& slice : lanes.slices)
      write_slice(slice);
    write_arrows(lanes);
  }

  std::uint32_t thread_of(const Slice& slice) const {
    return first_thread_[slice.stream] + slice.lane;
  }

  void write_slice(const Slice& slice) {
    const Task& task = plan_.graph.task(slice.task);
    const std::int64_t start = nanoseconds(slice.start);
    event(
        R"("ph":"X","name":{},"cat":"{}","pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f},"args":{{{}}})",
        json_text(slice_name(slice, task)), category_of(task), process_, thread_of(slice),
        microseconds(start), microseconds(nanoseconds(slice.end) - start),
        arguments_of(slice, task));
  }

  std::string slice_name(const Slice& slice, const Task& task) const {
    if (slice.count > 1)
      return fmt::format("{} of {} tensors", category_of(task), slice.count);
    return plan_.labels[task.label];
  }

  std::string_view category_of(const Task& task) const {
    if (task.kind == TaskKind::Communication)
      return name_of(plan_.collectives[task.collective].collective.kind);
    return phase_of(plan_, task);
  }

  std::string arguments_of(const Slice& slice, const Task& task) const {
    std::string text = fmt::format(R"("iteration":"{}")", slice.iteration == 0 ? "before" : "step");
    if (task.layer != kNone)
      text += fmt::format(R"(,"layer":{},"layer_kind":{})",
                          json_text(workload_.layers[task.layer].name),
                          json_text(workload_.layers[task.layer].kind));
    if (task.kind == TaskKind::Communication)
      text +=
          fmt::format(R"(,"bytes":{:.0f},"algorithm":"{}","group_size":{})", bytes_of(slice).value,
                      name_of(plan_.collectives[task.collective].collective.algorithm),
                      plan_.teams[task.team].group_size());
    return text;
  }

  /// Bytes of all communications of a slice.
  Bytes bytes_of(const Slice& slice) const {
    Bytes size = plan_.collectives[plan_.graph.task(slice.task).collective].collective.size;
    const ClassId rank_class = process_ - 1;
    std::uint32_t left = slice.count - 1;
    for (TaskId id = slice.task + 1; left > 0 && id < plan_.graph.size(); ++id) {
      const Task& task = plan_.graph.task(id);
      const Interval& interval = timeline_.at(slice.iteration, id, rank_class);
      if (task.stream != slice.stream || interval.start != slice.start || interval.end != slice.end)
        continue;
      size += plan_.collectives[task.collective].collective.size;
      --left;
    }
    return size;
  }

  void write_arrows(const TraceLanes& lanes) {
    for (int k = 0; k < 2; ++k)
      for (TaskId id = 0; id < plan_.graph.size(); ++id)
        plan_.graph.for_each_successor(id, [&](TaskId after) {
          write_arrow(lanes, lanes.slice_of[k][id], lanes.slice_of[k][after]);
        });
    for (const auto& [before, after] : plan_.next)
      write_arrow(lanes, lanes.slice_of[0][before], lanes.slice_of[1][after]);
  }

  /// The ends of an arrow must lie in their slices. It leaves a nanosecond before the end of the
  /// source, because at the end the next slice of the stream begins.
  void write_arrow(const TraceLanes& lanes, std::uint32_t from, std::uint32_t to) {
    if (from == kNone || to == kNone || from == to)
      return;
    const Slice& source = lanes.slices[from];
    const Slice& target = lanes.slices[to];
    if (source.stream == target.stream)
      return;
    const std::int64_t begin = nanoseconds(source.start);
    const std::int64_t leave = std::max(begin, nanoseconds(source.end) - 1);
    ++arrow_;
    event(R"("ph":"s","name":"waits","cat":"dependency","id":{},"pid":{},"tid":{},"ts":{:.3f})",
          arrow_, process_, thread_of(source), microseconds(leave));
    event(
        R"("ph":"f","bp":"e","name":"waits","cat":"dependency","id":{},"pid":{},"tid":{},"ts":{:.3f})",
        arrow_, process_, thread_of(target), microseconds(nanoseconds(target.start)));
  }

  const Workload& workload_;
  const Plan& plan_;
  const Timeline& timeline_;
  Seconds origin_{};
  std::string out_;
  bool first_ = true;
  std::uint32_t process_ = 0;                // of the class being written: class + 1
  std::vector<std::uint32_t> first_thread_;  // of each stream
  std::uint64_t arrow_ = 0;
};

}  // namespace

std::string chrome_trace(const Workload& workload, const Plan& plan, const Timeline& timeline) {
  return TraceWriter(workload, plan, timeline).write();
}

void write_chrome_trace(const std::filesystem::path& path, const Workload& workload,
                        const Plan& plan, const Timeline& timeline) {
  const std::string text = chrome_trace(workload, plan, timeline);
  write_text_file(path, path.extension() == ".gz" ? gzip(text) : text);
}

}  // namespace stepcast
