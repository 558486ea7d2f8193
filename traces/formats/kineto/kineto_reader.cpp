#include <algorithm>
#include <array>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "traces/formats/kineto/ascend_work.hpp"
#include "traces/formats/kineto/kineto_workload.hpp"
#include "traces/formats/kineto/layers/gradient_sizes.hpp"
#include "traces/formats/kineto/layers/joined_layers.hpp"
#include "traces/formats/kineto/ranks/rank_steps.hpp"
#include "traces/formats/kineto/recorded/recorded_steps.hpp"
#include "traces/formats/rank_comparison.hpp"
#include "traces/formats/rank_record.hpp"
#include "traces/formats/recognition/recognised_file.hpp"
#include "traces/json/json_text.hpp"
#include "traces/replay/rank_alignment.hpp"

namespace stepcast {
namespace {

void note_facts(const KinetoTrace& trace, const KinetoView& view, const RankSteps& rank,
                KinetoFacts& facts) {
  facts.origin = rank.record.origin;
  facts.device_name = trace.device_name;
  facts.steps_by = view.steps.how;
  facts.batch = guess_batch(trace.shapes);
  facts.repaired_backslashes = trace.repaired_backslashes;
}

/// Those of the last list of buckets beside the trace.
std::vector<Bytes> supplied_buckets(const ImportOptions& options) {
  std::vector<Bytes> buckets;
  for (const TraceSupplement& supplement : options.supplements)
    if (!supplement.buckets.empty())
      buckets = supplement.buckets;
  return buckets;
}

/// Gives the gradients their sizes; returns where these come from.
std::string size_all(const KinetoTrace& trace, const KinetoView& view, const ImportOptions& options,
                     std::vector<StepLayers>& steps, ImportReport& report) {
  const std::string supplied = supply_shapes(options.supplements, steps, report);
  const std::string sized = size_gradients(trace, view, steps);
  return sized == kRecordedShapes && !supplied.empty() ? supplied : sized;
}

RankSteps read_rank(const TraceStream& file, const ImportOptions& options, KinetoFacts& facts,
                    ImportReport& report) {
  const auto source = file.open();
  const KinetoTrace trace = read_kineto_trace(*source, file.origin, report);
  require_arrows(trace, file.origin);
  const KinetoView view = interpret(trace, report, supplied_buckets(options));
  RankSteps rank{.record = rank_record_of(trace, view, file.origin),
                 .steps = find_layers(trace, view)};
  join_passes(rank.steps, file.origin, report);
  count_doubts(gradient_type_of(trace, view), file.origin, report);
  const std::string sized = size_all(trace, view, options, rank.steps, report);
  if (guess_batch(trace.shapes).split && !options.batch)
    report.doubt("batch guessed from inputs of which less than half agree", file.origin);
  if (sized.empty() && !options.architecture)
    report.doubt("gradient sizes that the trace does not tell", file.origin);
  if (facts.origin.empty()) {
    note_facts(trace, view, rank, facts);
    facts.gradients_by = sized;
    facts.gradient_type = gradient_type_of(trace, view);
  }
  return rank;
}

void refuse_other_jobs(std::span<const RankRecord> records) {
  if (const std::string why = why_not_one_job(records); !why.empty())
    throw InputError(why);
}

/// Files that can be ranks of one job and need not be.
void doubt_ranks(const std::vector<RankRecord>& records, ImportReport& report) {
  constexpr Seconds kClocksApart{60};
  if (records.size() < 2)
    return;
  for (const RankRecord& record : records)
    if (!record.rank)
      report.doubt("trace that does not tell its rank, taken as another one", record.origin);
  for (const RankTiming& rank : compare_ranks(records).ranks)
    if (rank.clock_offset > kClocksApart || rank.clock_offset < Seconds{} - kClocksApart)
      report.doubt(
          "rank whose collectives end more than a minute off the first one's: by another "
          "clock, or in another run",
          rank.origin);
}

/// The bare list of events, which other programs write too, by the profiler's categories.
bool is_list_of_a_profiler(std::string_view head) {
  constexpr std::array<std::string_view, 8> kCategories = {
      "\"cpu_op\"",       "\"Operator\"", "\"user_annotation\"", "\"python_function\"",
      "\"cuda_runtime\"", "\"Runtime\"",  "\"kernel\"",          "\"Kernel\""};
  constexpr std::array<std::string_view, 3> kOfAscend = {"\"Ascend Hardware\"", "\"Task Type\"",
                                                         "\"hcom_"};
  const auto has = [&](std::string_view part) { return head.find(part) != std::string_view::npos; };
  return !has("NEGOTIATE_") && (std::ranges::any_of(kOfAscend, has) ||
                                (has("\"cat\"") && std::ranges::any_of(kCategories, has)));
}

/// Layer times are device time, summed over the kernels of a layer and averaged over the steps; the
/// waits of the device for the host are layers of kind HostGap.
class KinetoReader final : public TraceReader {
 public:
  std::string name() const override { return "kineto"; }
  bool takes_supplements() const override { return true; }
  bool sniff(std::string_view head) const override;
  Workload read(const std::vector<TraceStream>& files, const ImportOptions& options,
                ImportReport& report) const override;
  TraceSummary inspect(const std::vector<TraceStream>& files, const ImportOptions& options,
                       ImportReport& report) const override;
  std::vector<RecordedStep> record(const std::vector<TraceStream>& files,
                                   ImportReport& report) const override;
};

bool KinetoReader::sniff(std::string_view head) const {
  const char start = json_start(head);
  if (start == '[')
    return is_list_of_a_profiler(head);
  return start == '{' && (head.find("\"traceEvents\"") != std::string_view::npos ||
                          head.find("\"deviceProperties\"") != std::string_view::npos);
}

Workload KinetoReader::read(const std::vector<TraceStream>& files, const ImportOptions& options,
                            ImportReport& report) const {
  KinetoFacts facts{.ranks = files.size()};
  std::vector<RankSteps> ranks;
  ranks.reserve(files.size());
  for (const TraceStream& file : files)
    ranks.push_back(read_rank(file, options, facts, report));
  check_same_job(ranks);
  facts.alignment = alignment_of(ranks, report);
  facts.job = ranks.front().record.ranks.value_or(0);
  keep_layers_of_first(ranks, report);
  facts.ranks = ranks.size();
  std::vector<StepLayers> steps;
  for (RankSteps& rank : ranks)
    std::ranges::move(rank.steps, std::back_inserter(steps));
  const AverageStep step = average(std::move(steps), report);
  facts.buckets = step.buckets.empty() ? supplied_buckets(options) : step.buckets;
  return workload_of(step, facts, options);
}

TraceSummary KinetoReader::inspect(const std::vector<TraceStream>& files, const ImportOptions&,
                                   ImportReport& report) const {
  const TraceStream& file = only_file(files, name());
  const auto source = file.open();
  const KinetoTrace trace = read_kineto_trace(*source, file.origin, report);
  const KinetoView view = interpret(trace, report);
  TraceSummary summary = summarize(trace, view);
  summary.rank = rank_record_of(trace, view, file.origin);
  refuse_other_jobs(std::span(&*summary.rank, 1));
  return summary;
}

std::vector<RecordedStep> KinetoReader::record(const std::vector<TraceStream>& files,
                                               ImportReport& report) const {
  std::vector<RecordedStep> steps;
  std::vector<RankRecord> records;
  for (const TraceStream& file : files) {
    const auto source = file.open();
    const KinetoTrace trace = read_kineto_trace(*source, file.origin, report);
    require_arrows(trace, file.origin);
    const KinetoView view = interpret(trace, report);
    records.push_back(rank_record_of(trace, view, file.origin));
    refuse_other_jobs(records);
    count_doubts(gradient_type_of(trace, view), file.origin, report);
    std::vector<RecordedStep> recorded = recorded_steps(trace, view, report);
    if (recorded.empty())
      throw InputError(file.origin + ": expected work on a device in a step, found none");
    if (steps.empty())
      steps = std::move(recorded);
    else
      take_shortest_collectives(steps, recorded, file.origin, files.front().origin);
  }
  doubt_ranks(records, report);
  return steps;
}

}  // namespace

const TraceReader& kineto_reader() {
  static const KinetoReader reader;
  return reader;
}

}  // namespace stepcast
