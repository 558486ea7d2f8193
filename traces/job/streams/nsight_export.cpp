#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "traces/formats/ranks/queued_work.hpp"
#include "traces/job/job_formats.hpp"
#include "traces/job/streams/sqlite_file.hpp"
#include "traces/job/streams/stream_timeline.hpp"

// Tables are read row by row: kernels and copies, launches (by correlation and process), NVTX
// ranges. Times are nanoseconds since the session began; its wall-clock time is one of the
// session's table, so that ranks of several sessions lie on their hosts' clocks. Names are read
// into a map first: a join of tables in which an id occurs many times would have the product of
// rows.

namespace stepcast {
namespace {

constexpr double kNanosecond = 1e-9;
constexpr std::int64_t kProcess = ~std::int64_t{0xFFFFFF};  // Of a global thread, its process.
// Kernels of one name and pass share it and what it tells: 300,000 kernels of one name of 1,000
// bytes took 7 s and half a gigabyte. Longer names are shortened, which the report tells.
constexpr std::size_t kLongestName = 1024;
constexpr std::int64_t kLongestSession = std::int64_t{1} << 52;  // 52 days.

/// "step 12", "iteration_12", "ProfilerStep#12".
bool names_step(const std::string& name) {
  const std::string small = lower_case(name);
  const std::size_t digits = small.find_last_not_of("0123456789") + 1;
  if (digits == 0 || digits >= small.size())
    return false;
  const std::string_view word = std::string_view(small).substr(0, digits);
  const std::size_t end = word.find_last_not_of(" #_-:=");
  const std::string_view bare = word.substr(0, end + 1);
  return bare.ends_with("step") || bare.ends_with("iteration") || bare.ends_with("iter");
}

/// "forward", "backward", "optimizer" of a range that names a pass; else empty.
std::string pass_of(const std::string& name) {
  const std::string small = lower_case(name);
  for (const char* pass : {"backward", "forward"})
    if (small.find(pass) != std::string::npos)
      return pass;
  return small.starts_with("optim") || small.find("optimizer") != std::string::npos ? "optimizer"
                                                                                    : "";
}

struct NvtxRange {
  SharedText name;
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// Ranges of one kind and process by begin; the innermost at a time is the last begun that lasts.
class RangesOfProcess {
 public:
  void add(NvtxRange range) { ranges_.push_back(std::move(range)); }
  void sort() { std::ranges::stable_sort(ranges_, {}, &NvtxRange::begin); }
  bool empty() const { return ranges_.empty(); }

  SharedText at(std::int64_t time) const {
    constexpr std::ptrdiff_t kDeepest = 16;
    const auto after = std::ranges::upper_bound(ranges_, time, {}, &NvtxRange::begin);
    for (auto range = after; range != ranges_.begin() && after - range < kDeepest;)
      if (time <= (--range)->end)
        return range->name;
    return {};
  }

 private:
  std::vector<NvtxRange> ranges_;
};

class NsightExport {
 public:
  NsightExport(const std::filesystem::path& path, ImportReport& report)
      : path_(path.string()), file_(path), report_(report) {}

  std::vector<RankTimeline> run() {
    require("CUPTI_ACTIVITY_KIND_KERNEL", kOfAllWork);
    require("CUPTI_ACTIVITY_KIND_KERNEL", std::array{"shortName"});
    require("StringIds", std::array{"id", "value"});
    read_names();
    read_launches();
    read_ranges();
    read_work("CUPTI_ACTIVITY_KIND_KERNEL", {"shortName"});
    if (file_.has("CUPTI_ACTIVITY_KIND_MEMCPY", "copyKind")) {
      require("CUPTI_ACTIVITY_KIND_MEMCPY", kOfAllWork);
      read_work("CUPTI_ACTIVITY_KIND_MEMCPY", {});
    }
    return timelines();
  }

 private:
  struct Work {
    StreamWork of;
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::optional<std::int64_t> launched;  // When the call was over.
  };
  struct Call {
    std::int64_t begin = 0;
    std::int64_t end = 0;
  };

  static constexpr std::array kOfAllWork{"start",    "end",           "deviceId",
                                         "streamId", "correlationId", "globalPid"};

  void require(const char* table, std::span<const char* const> columns) const {
    for (const char* column : columns)
      if (!file_.has(table, column))
        throw InputError(fmt::format(
            "{}: expected an export of Nsight Systems with the table {} and its column {}, found "
            "none; record with \"nsys profile --trace=cuda,nvtx\" and export with \"nsys export "
            "--type=sqlite\"",
            path_, table, column));
  }

  using Columns = std::vector<std::string_view>;

  // An id that stands for two names would say of a kernel what somebody else ran.
  void read_names() {
    file_.for_each("StringIds", Columns{"id", "value"}, [&](const SqliteRow& row) {
      const auto id = row.whole(0);
      if (!id)
        return;
      if (!names_.emplace(*id, row.text(1, kLongestName)).second)
        throw InputError(
            fmt::format("{}: StringIds: expected each id once, found {} twice", path_, *id));
      if (row.is_longer(1, kLongestName))
        shortened_.insert(*id);
    });
  }

  /// Tells of a name that was shortened when it is first used: StringIds holds other texts, too,
  /// such as command lines, which nobody asks for.
  const std::string& name_of(std::optional<std::int64_t> id) {
    static const std::string kNone;
    const auto found = id ? names_.find(*id) : names_.end();
    if (found == names_.end())
      return kNone;
    if (shortened_.erase(*id) > 0)
      tell_shortened(fmt::format("{}: StringIds: id {}", path_, *id));
    return found->second;
  }

  void tell_shortened(const std::string& where) {
    report_.doubt(fmt::format("name of more than {} bytes, shortened", kLongestName), where);
  }

  void read_launches() {
    if (!file_.has("CUPTI_ACTIVITY_KIND_RUNTIME", "globalTid"))
      return;
    Columns columns{"correlationId", "globalTid", "start"};
    if (file_.has("CUPTI_ACTIVITY_KIND_RUNTIME", "end"))
      columns.push_back("end");
    file_.for_each("CUPTI_ACTIVITY_KIND_RUNTIME", columns, [&](const SqliteRow& row) {
      const auto correlation = row.whole(0);
      const auto begin = row.whole(2);
      if (!correlation || !begin || *begin < 0 || *begin > kLongestSession)
        return;
      const std::int64_t end = std::clamp(
          columns.size() > 3 ? row.whole(3).value_or(*begin) : *begin, *begin, kLongestSession);
      launches_[row.whole(1).value_or(0) & kProcess].emplace(*correlation, Call{*begin, end});
    });
  }

  void read_ranges() {
    if (!file_.has("NVTX_EVENTS", "globalTid"))
      return;
    Columns columns{"start", "end", "globalTid"};
    const bool has_text = file_.has("NVTX_EVENTS", "text");
    const bool has_id = file_.has("NVTX_EVENTS", "textId");
    if (has_text)
      columns.push_back("text");
    if (has_id)
      columns.push_back("textId");
    file_.for_each("NVTX_EVENTS", columns, [&](const SqliteRow& row) {
      std::string name = has_text ? row.text(3, kLongestName) : std::string();
      if (has_text && row.is_longer(3, kLongestName))
        tell_shortened(path_ + ": NVTX_EVENTS");
      if (name.empty() && has_id)
        name = name_of(row.whole(has_text ? 4 : 3));
      add_range(row, name);
    });
    for (auto* ranges : {&steps_, &passes_})
      for (auto& [process, of] : *ranges)
        of.sort();
  }

  void add_range(const SqliteRow& row, const std::string& name) {
    const auto begin = row.whole(0);
    const auto end = row.whole(1);
    if (!begin || !end || *end < *begin)
      return;  // Marks have no end.
    const std::int64_t process = row.whole(2).value_or(0) & kProcess;
    if (names_step(name))
      steps_[process].add({name, *begin, *end});
    else if (const std::string pass = pass_of(name); !pass.empty())
      passes_[process].add({pass, *begin, *end});
  }

  void read_work(std::string_view table, const Columns& more) {
    Columns columns{"start", "end", "deviceId", "streamId", "correlationId", "globalPid"};
    columns.insert(columns.end(), more.begin(), more.end());
    static const std::string kCopy = "memcpy";
    file_.for_each(table, columns, [&](const SqliteRow& row) {
      add_work(row, more.empty() ? kCopy : name_of(row.whole(6)));
    });
  }

  /// `name` must live as long as this object.
  void add_work(const SqliteRow& row, const std::string& name) {
    const auto begin = row.whole(0);
    const auto end = row.whole(1);
    if (!begin || !end || *end < *begin || *begin < 0 || *end > kLongestSession) {
      report_.skip("device work without a start or end", fmt::format("{} {}", path_, name));
      return;
    }
    const std::int64_t process = row.whole(5).value_or(0) & kProcess;
    const auto of_process = launches_.find(process);
    std::optional<Call> launch;
    if (const auto correlation = row.whole(4); correlation && of_process != launches_.end())
      if (const auto found = of_process->second.find(*correlation);
          found != of_process->second.end())
        launch = found->second;
    const std::int64_t launched = launch ? launch->begin : *begin;
    StreamWork of = work_of(name, pass_at(launched, process));
    of.stream = std::to_string(row.whole(3).value_or(0));
    if (const auto steps = steps_.find(process); steps != steps_.end())
      of.step = steps->second.at(launched);
    else if (steps_.empty())
      of.step = "session";
    works_[{row.whole(2).value_or(0), process}].push_back(
        {std::move(of), *begin, *end, launch ? std::optional(launch->end) : std::nullopt});
    first_ = std::min(first_, *begin);
  }

  /// Nothing where no range of the process names a pass; empty outside of these ranges.
  std::optional<std::string> pass_at(std::int64_t launched, std::int64_t process) const {
    const auto found = passes_.find(process);
    return found == passes_.end() ? std::nullopt : std::optional(found->second.at(launched).text());
  }

  const StreamWork& work_of(const std::string& name, const std::optional<std::string>& pass) {
    const auto [known, is_new] = kinds_.try_emplace({&name, pass});
    if (is_new) {
      known->second = work_by_name(name.empty() ? "kernel without a name" : name);
      if (pass)
        name_pass(*pass, known->second.work);
    }
    return known->second;
  }

  static void name_pass(const std::string& pass, TimelineWork& work) {
    if (work.work == JobWork::Transfer || work.copies)
      return;
    const std::string bare = work.name.text().substr(work.name.text().find(": ") + 2);
    work.work = pass == "forward"    ? JobWork::Forward
                : pass == "backward" ? JobWork::Backward
                                     : JobWork::Compute;
    work.updates = pass == "optimizer";
    work.part = pass.empty() ? "other" : pass;
    work.name = fmt::format("{}: {}", work.part, bare);
  }

  std::vector<RankTimeline> timelines() {
    std::vector<RankTimeline> timelines;
    for (auto& [place, works] : works_) {
      RankRecord record;
      record.origin = works_.size() == 1 ? path_ : fmt::format("{} device {}", path_, place.first);
      record.first_time_us = session_began_us() + first_ / 1000;
      std::vector<StreamWork> all;
      all.reserve(works.size());
      std::vector<QueuedWork> queued;
      const auto since_zero = [zero = first_ / 1000 * 1000](std::int64_t time) {
        return Seconds{kNanosecond * static_cast<double>(time - zero)};
      };
      for (Work& work : works) {
        work.of.work.begin = since_zero(work.begin);
        work.of.work.end = since_zero(work.end);
        if (work.launched)
          queued.push_back(
              {since_zero(*work.launched), since_zero(std::max(*work.launched, work.begin))});
        all.push_back(std::move(work.of));
      }
      works = {};
      timelines.push_back(timeline_of(std::move(record), std::move(all), report_));
      add_queue(std::move(queued), timelines.back());
    }
    if (timelines.empty())
      throw InputError(path_ + ": expected kernels, found none");
    return timelines;
  }

  static void add_queue(std::vector<QueuedWork> queued, RankTimeline& timeline) {
    std::vector<std::pair<Seconds, Seconds>> steps;
    for (const TimelineStep& step : timeline.steps) {
      Seconds end = step.begin;
      for (const TimelineWork& work : step.works)
        end = std::max(end, work.end);
      steps.emplace_back(step.begin, end);
    }
    if (const auto queue = queue_of(std::move(queued), steps)) {
      timeline.device.queued = queue->length;
      timeline.device.queue_empty = queue->empty;
    }
  }

  std::int64_t session_began_us() const {
    std::int64_t began = 0;
    if (file_.has("TARGET_INFO_SESSION_START_TIME", "utcEpochNs"))
      file_.for_each("TARGET_INFO_SESSION_START_TIME", Columns{"utcEpochNs"},
                     [&, is_first = true](const SqliteRow& row) mutable {
                       if (std::exchange(is_first, false))
                         began = row.whole(0).value_or(0) / 1000;
                     });
    return began;
  }

  using OfProcess = std::map<std::int64_t, RangesOfProcess>;

  std::string path_;
  SqliteFile file_;
  ImportReport& report_;
  std::unordered_map<std::int64_t, std::string> names_;  // By id.
  /// By name and pass: what all their kernels have in common.
  std::map<std::pair<const std::string*, std::optional<std::string>>, StreamWork> kinds_;
  std::unordered_set<std::int64_t> shortened_;  // Ids of names nobody was told of yet.
  std::map<std::int64_t, std::unordered_map<std::int64_t, Call>> launches_;
  OfProcess steps_;
  OfProcess passes_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<Work>> works_;  // By device, process.
  std::int64_t first_ = kLongestSession;
};

}  // namespace

std::vector<RankTimeline> read_nsight_export(const std::filesystem::path& path,
                                             ImportReport& report) {
  return NsightExport(path, report).run();
}

}  // namespace stepcast
