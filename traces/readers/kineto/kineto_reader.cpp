#include "traces/readers/kineto/kineto_reader.hpp"

#include <algorithm>
#include <array>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "traces/readers/kineto/kineto_summary.hpp"
#include "traces/readers/kineto/kineto_workload.hpp"
#include "traces/readers/kineto/layers/gradient_sizes.hpp"
#include "traces/readers/kineto/layers/supplied_shapes.hpp"
#include "traces/readers/kineto/rank_record_of.hpp"
#include "traces/readers/kineto/recorded/recorded_steps.hpp"
#include "traces/readers/one_job.hpp"
#include "traces/readers/rank_comparison.hpp"
#include "traces/replay/rank_alignment.hpp"

namespace stepcast {
namespace {

/// What is kept of one rank's trace: not its events.
struct RankSteps {
  RankRecord record;
  std::vector<StepLayers> steps;
};

std::uint32_t batch_by_shapes(const KinetoTrace& trace, const KinetoView& view) {
  for (const auto& order : view.scopes.by_thread)
    for (const std::uint32_t index : order) {
      const KinetoEvent& event = trace.events[index];
      if (event.kind == KinetoKind::Operator && event.sequence >= 0 && event.batch > 0)
        return event.batch;
    }
  return 0;
}

void note_facts(const KinetoTrace& trace, const KinetoView& view, const RankSteps& rank,
                KinetoFacts& facts) {
  facts.origin = rank.record.origin;
  facts.device_name = trace.device_name;
  facts.steps_by = view.steps.how;
  facts.batch = batch_by_shapes(trace, view);
  facts.repaired_backslashes = trace.repaired_backslashes;
  if (!rank.steps.empty())
    for (const GradientBucket& bucket : rank.steps.back().buckets)
      facts.buckets.push_back(bucket.size);
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
  const KinetoView view = interpret(trace, report, supplied_buckets(options));
  RankSteps rank{.record = rank_record_of(trace, view, file.origin),
                 .steps = find_layers(trace, view)};
  count_doubts(gradient_type_of(trace, view), file.origin, report);
  const std::string sized = size_all(trace, view, options, rank.steps, report);
  if (sized.empty())
    report.doubt("gradient sizes that the trace does not tell", file.origin);
  if (facts.origin.empty()) {
    note_facts(trace, view, rank, facts);
    facts.gradients_by = sized;
    facts.gradient_type = gradient_type_of(trace, view);
    if (facts.buckets.empty())
      facts.buckets = supplied_buckets(options);
  }
  return rank;
}

/// Names of the layers of the last step that put work on the device.
std::vector<std::string> working_layers(const RankSteps& rank) {
  std::vector<std::string> names;
  for (const LayerTimes& layer : rank.steps.back().layers)
    if (layer.work > 0)
      names.push_back(layer.name);
  return names;
}

std::vector<RankRecord> records_of(const std::vector<RankSteps>& ranks) {
  std::vector<RankRecord> records;
  for (const RankSteps& rank : ranks)
    records.push_back(rank.record);
  return records;
}

void refuse_other_jobs(std::span<const RankRecord> records) {
  if (const std::string why = why_not_one_job(records); !why.empty())
    throw InputError(why);
}

std::string list_of(const std::vector<GradientBucket>& buckets) {
  std::vector<std::string> sizes;
  for (const GradientBucket& bucket : buckets)
    sizes.push_back(format_bytes(bucket.size));
  return fmt::format("{}", fmt::join(sizes, ", "));
}

/// Sizes that were not recorded contradict nothing.
void refuse_other_buckets(const RankSteps& rank, const RankSteps& first) {
  const auto& found = rank.steps.back().buckets;
  const auto& wanted = first.steps.back().buckets;
  if (!found.empty() && !wanted.empty() &&
      !std::ranges::equal(found, wanted, {}, &GradientBucket::size, &GradientBucket::size))
    throw InputError(
        fmt::format("{}: expected gradient buckets of {} as in {}, found {}: no ranks of one job",
                    rank.record.origin, list_of(wanted), first.record.origin, list_of(found)));
}

/// Ranks of one job differ in rank and agree in everything else that the files tell.
void check_same_job(const std::vector<RankSteps>& ranks) {
  refuse_other_jobs(records_of(ranks));
  const RankSteps& first = ranks.front();
  for (const RankSteps& rank : ranks)
    if (working_layers(rank) != working_layers(first))
      throw InputError(
          fmt::format("{}: expected the layers of {}, found others: no ranks of one job",
                      rank.record.origin, first.record.origin));
  for (const RankSteps& rank : ranks)
    refuse_other_buckets(rank, first);
}

/// For the provenance: what the ranks' collectives say of their clocks.
std::string alignment_of(const std::vector<RankSteps>& ranks, ImportReport& report) {
  const std::vector<RankRecord> records = records_of(ranks);
  const RankComparison comparison = compare_ranks(records);
  for (std::size_t i = 0; i < comparison.unmatched; ++i)
    report.doubt("collective that not every rank recorded", records.front().origin);
  if (comparison.ranks.empty())
    return comparison.why_not.empty() ? "" : "clocks not compared: " + comparison.why_not;
  return fmt::format("clocks against {}'s, by the ends of {} collectives: {}",
                     comparison.ranks.front().name, comparison.collectives,
                     describe_offsets(comparison));
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
  return head.find("\"cat\"") != std::string_view::npos &&
         head.find("NEGOTIATE_") == std::string_view::npos &&
         std::ranges::any_of(kCategories, [&](std::string_view category) {
           return head.find(category) != std::string_view::npos;
         });
}

}  // namespace

bool KinetoReader::sniff(std::string_view head) const {
  const std::size_t start = head.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos)
    return false;
  if (head[start] == '[')
    return is_list_of_a_profiler(head);
  if (head[start] != '{')
    return false;
  return head.find("\"traceEvents\"") != std::string_view::npos ||
         head.find("\"deviceProperties\"") != std::string_view::npos;
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
  std::vector<StepLayers> steps;
  for (RankSteps& rank : ranks)
    std::ranges::move(rank.steps, std::back_inserter(steps));
  return workload_of(average(std::move(steps), report), facts, options);
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

}  // namespace stepcast
