#include "sim/report/json/job_timeline.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "sim/timeline/gzip.hpp"
#include "traces/json/json_text.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {
namespace {

constexpr double kMicroseconds = 1e6;

Seconds length_of(const JobStep& step) {
  Seconds last{};
  for (const JobOperation& done : step.operations)
    last = std::max(last, done.end);
  return last;
}

const JobStep& median_step(const Job& job) {
  std::vector<const JobStep*> steps;
  for (const JobStep& step : job.steps)
    steps.push_back(&step);
  std::ranges::stable_sort(steps, {}, [](const JobStep* step) { return length_of(*step); });
  return *steps[steps.size() / 2];
}

class JobTraceWriter {
 public:
  JobTraceWriter(const Job& job, const JobStep& step) : job_(job), step_(step) {}

  std::string write() {
    out_ = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n";
    for (std::uint32_t rank = 0; rank < job_.ranks.size(); ++rank)
      add(fmt::format(
          R"x({{"ph":"M","name":"process_name","pid":{},"args":{{"name":"rank {} (stage {}, data {})"}}}})x",
          rank, label_of(job_.ranks[rank]), job_.ranks[rank].stage, job_.ranks[rank].data));
    for (const JobOperation& done : step_.operations)
      add_slice(done);
    for (std::uint32_t meeting = 0; meeting < step_.meetings.size(); ++meeting)
      add_arrows(step_.meetings[meeting]);
    return std::move(out_) + "\n]}\n";
  }

 private:
  void add(const std::string& event) {
    out_ += first_ ? event : ",\n" + event;
    first_ = false;
  }

  /// Threads by what the kind adds up to; what computes shares one.
  std::string thread_of(const JobOperation& done) {
    const JobKind& kind = job_.kinds[done.kind];
    const bool computes = kind.work != JobWork::Transfer;
    const std::string name = computes ? "computing" : kind.part;
    const std::uint32_t number = computes ? 0 : 1 + done.kind;
    if (named_.insert({done.rank, number}).second)
      add(fmt::format(R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":{}}}}})",
                      done.rank, number, json_string(name)));
    return std::to_string(number);
  }

  void add_slice(const JobOperation& done) {
    add(fmt::format(R"({{"ph":"X","name":{},"pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f}}})",
                    json_string(job_.kinds[done.kind].name), done.rank, thread_of(done),
                    done.begin.value * kMicroseconds,
                    (done.end - done.begin).value * kMicroseconds));
  }

  void add_arrows(const JobMeeting& meeting) {
    const auto begin = [&](std::uint32_t member) { return step_.operations[member].begin; };
    const std::uint32_t last = *std::ranges::max_element(meeting.members, {}, begin);
    const double at = begin(last).value * kMicroseconds;
    for (const std::uint32_t member : meeting.members) {
      if (member == last)
        continue;
      const JobOperation& from = step_.operations[last];
      const JobOperation& to = step_.operations[member];
      add(fmt::format(
          R"({{"ph":"s","name":"last","cat":"wait","id":{},"pid":{},"tid":{},"ts":{:.3f}}})",
          ++arrows_, from.rank, thread_of(from), at));
      add(fmt::format(
          R"({{"ph":"f","bp":"e","name":"last","cat":"wait","id":{},"pid":{},"tid":{},"ts":{:.3f}}})",
          arrows_, to.rank, thread_of(to), at));
    }
  }

  const Job& job_;
  const JobStep& step_;
  std::string out_;
  bool first_ = true;
  std::size_t arrows_ = 0;
  std::set<std::pair<std::uint32_t, std::uint32_t>> named_;
};

}  // namespace

void write_job_trace(const std::filesystem::path& path, const Job& job) {
  const std::string text = JobTraceWriter(job, median_step(job)).write();
  write_text_file(path, path.extension() == ".gz" ? gzip(text) : text);
}

}  // namespace stepcast
