#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"
#include "traces/csv_table.hpp"
#include "traces/job/job_formats.hpp"
#include "traces/job/job_shape.hpp"
#include "traces/job/operation_types.hpp"
#include "traces/job/pipeline_links.hpp"
#include "traces/job/rows/table_rows.hpp"
#include "traces/job/step_places.hpp"

namespace stepcast {
namespace {

using Place = std::pair<std::uint32_t, std::uint32_t>;  // (stage, data rank)

/// Reads the rows into steps, links each and leaves out what is not whole.
class OperationsReader {
 public:
  OperationsReader(const std::string& text, const std::string& origin, const JobShape& shape,
                   ImportReport& report)
      : table_(text, origin), origin_(origin), shape_(shape), report_(report) {}

  Job run() {
    job_.name = shape_.name.empty() ? std::filesystem::path(origin_).filename()
                                    : std::filesystem::path(shape_.name);
    while (table_.next())
      read_row();
    if (rows_.empty())
      throw InputError(origin_ + ": expected rows of operations, found none");
    leave_out_stray_ranks(rows_, job_.ranks, report_);
    number_ranks();
    micro_batches_ = leave_out_odd_rows(rows_, job_.ranks, types_, origin_, report_);
    job_.doubtful = tell_unknown_types(rows_, job_.ranks, types_, first_seen_, report_);
    const RestoredRows restored = restore_rows(rows_, job_.ranks, types_, report_);
    job_.restored = restored.restored;
    job_.lost = restored.lost + doubt_missing_passes(rows_, job_.ranks, types_, report_);
    check_shape();
    for (auto& [number, step] : rows_)
      add_step(number, step);
    if (job_.steps.empty())
      throw InputError(fmt::format(
          "{}: expected a step that all ranks recorded, found none: rank {} recorded {} of {}",
          origin_, label_of(job_.ranks[seldom_seen()]), *std::ranges::min_element(steps_seen_),
          rows_.size()));
    place_steps(job_);
    return std::move(job_);
  }

 private:
  std::size_t optional_column(const char* name) const {
    return table_.has(name) ? table_.column(name) : kNone;
  }
  void read_row();
  void read_parts(const OperationType& type, JobOperation& done);
  std::uint16_t type_of(std::string_view name);
  std::uint32_t rank_at(const Place& place, std::uint32_t number);
  void number_ranks();
  void check_shape();
  void find_more();
  void count_chunks_through();
  bool has_next_stage() const;
  std::uint32_t gpus_on(std::uint32_t places) const;
  void add_step(std::int64_t number, std::vector<TypedOperation>& rows);
  std::size_t seldom_seen() const {
    return static_cast<std::size_t>(std::ranges::min_element(steps_seen_) - steps_seen_.begin());
  }

  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  static constexpr std::int64_t kMostPlaces = 60'000;

  CsvTable table_;
  const std::string& origin_;
  const JobShape& shape_;
  ImportReport& report_;
  Job job_;
  std::vector<OperationType> types_;
  std::vector<std::string> first_seen_;  // By type: where.
  std::map<std::string, std::uint16_t, std::less<>> numbers_of_types_;
  std::map<Place, std::uint32_t> ranks_;  // To the place in job_.ranks.
  RowsByStep rows_;
  std::vector<std::size_t> steps_seen_;  // By rank.

  // Of the passes, as far as the table tells; 0: it does not.
  std::uint32_t micro_batches_ = 0;
  std::uint32_t model_chunks_ = 0;
  std::uint32_t chunks_ = 0;

  const std::size_t data_ = table_.column("dp_rank");
  const std::size_t stage_ = table_.column("stage");
  const std::size_t rank_ = table_.column("rank");
  const std::size_t step_ = table_.column("step");
  const std::size_t type_ = table_.column("optype");
  const std::size_t start_ = table_.column("start_ts");
  const std::size_t duration_ = table_.column("duration");
  const std::size_t sequence_ = table_.column("seq_id");
  const std::size_t chunk_ = optional_column("mc");
  const std::size_t micro_batch_ = optional_column("mb_id");
  const std::size_t model_chunk_ = optional_column("gmc");
};

/// Micro-batch and chunk. A pass is of both; other operations may be of none, which -1 says. One of
/// unknown name may be found to be communication: until then it has the chunk of such, and in the
/// place of its kind, which is not known either, that of computation.
void OperationsReader::read_parts(const OperationType& type, JobOperation& done) {
  const JobWork work = type.work;
  const bool is_pass = work == JobWork::Forward || work == JobWork::Backward;
  const auto read = [&](std::size_t column, bool needed) -> std::int64_t {
    if (column == kNone)
      return -1;
    const std::int64_t value = table_.whole(column, needed ? 0 : -1);
    if (value > kMostPlaces)
      table_.fail(column, fmt::format("a number of at most {}", kMostPlaces));
    return value;
  };
  const std::int64_t micro_batch = read(micro_batch_, is_pass);
  const std::int64_t chunk = read(chunk_, false);
  const std::int64_t model_chunk = read(model_chunk_, is_pass);
  done.micro_batch = static_cast<std::int32_t>(micro_batch);
  const auto transferred = static_cast<std::uint16_t>(std::max<std::int64_t>(chunk, 0));
  const auto computed =
      static_cast<std::uint16_t>(model_chunk >= 0 ? model_chunk : job_.ranks[done.rank].stage);
  done.chunk = work == JobWork::Transfer || !type.known ? transferred : computed;
  done.kind = computed;
  if (!is_pass)
    return;
  model_chunks_ = std::max(model_chunks_, static_cast<std::uint32_t>(model_chunk + 1));
  chunks_ = std::max(chunks_, static_cast<std::uint32_t>(chunk + 1));
}

void OperationsReader::read_row() {
  const std::uint16_t type = type_of(table_.cell(type_));
  if (types_[type].marker)
    return;
  const Place place(static_cast<std::uint32_t>(table_.whole(stage_, 0)),
                    static_cast<std::uint32_t>(table_.whole(data_, 0)));
  JobOperation done{.sequence = static_cast<std::uint32_t>(table_.whole(sequence_, 0))};
  done.rank = rank_at(place, static_cast<std::uint32_t>(table_.whole(rank_, 0)));
  if (place.first > kMostPlaces)
    table_.fail(stage_, fmt::format("a stage of at most {}", kMostPlaces));
  if (place.second > kMostPlaces)
    table_.fail(data_, fmt::format("a dp_rank of at most {}", kMostPlaces));
  read_parts(types_[type], done);
  constexpr double kLongest = 1e9;
  constexpr double kLatest = 1e10;  // Since 1970: in three centuries.
  done.begin = Seconds{table_.number(start_)};
  if (std::abs(done.begin.value) > kLatest)
    table_.fail(start_,
                "seconds since the step, the run or 1970 began, at most 1e10 (milliseconds, "
                "microseconds or nanoseconds are to be divided by 1e3, 1e6 or 1e9)");
  const double duration = table_.number(duration_);
  if (duration < 0 || duration > kLongest)
    table_.fail(duration_, "seconds from 0 on, at most 1e9");
  done.end = done.begin + Seconds{duration};
  rows_[table_.whole(step_, 0)].emplace_back(done, type);
}

std::uint16_t OperationsReader::type_of(std::string_view name) {
  constexpr std::size_t kMost = 1000;
  const auto found = numbers_of_types_.find(name);
  if (found != numbers_of_types_.end())
    return found->second;
  if (name.empty() || types_.size() == kMost)
    table_.fail(type_, name.empty() ? "the type of an operation" : "at most 1000 types");
  types_.push_back(operation_type_of(name));
  first_seen_.push_back(table_.where());
  const auto number = static_cast<std::uint16_t>(types_.size() - 1);
  numbers_of_types_.emplace(name, number);
  return number;
}

std::uint32_t OperationsReader::rank_at(const Place& place, std::uint32_t number) {
  const auto [found, added] = ranks_.emplace(place, static_cast<std::uint32_t>(job_.ranks.size()));
  if (added)
    job_.ranks.push_back(
        {.number = number, .data = place.second, .stage = place.first, .origin = origin_});
  if (job_.ranks[found->second].number != number)
    report_.doubt("row whose rank is not the one that its dp_rank and stage had before",
                  table_.where());
  return found->second;
}

/// Puts the ranks in order of their numbers, which are of one place each.
void OperationsReader::number_ranks() {
  std::vector<std::uint32_t> order(job_.ranks.size());
  for (std::uint32_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::ranges::sort(order, {}, [&](std::uint32_t i) {
    return std::tuple(job_.ranks[i].number, job_.ranks[i].stage, job_.ranks[i].data);
  });
  std::vector<std::uint32_t> place(order.size());
  std::vector<JobRank> sorted;
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    place[order[i]] = i;
    sorted.push_back(job_.ranks[order[i]]);
    if (i > 0 && sorted[i].number == sorted[i - 1].number)
      throw InputError(fmt::format(
          "{}: expected each rank at one place, found rank {} at stage {}, dp_rank {} and at stage "
          "{}, dp_rank {}: of a second job?",
          origin_, sorted[i].number, sorted[i - 1].stage, sorted[i - 1].data, sorted[i].stage,
          sorted[i].data));
    job_.stages = std::max(job_.stages, sorted.back().stage + 1);
  }
  job_.ranks = std::move(sorted);
  for (auto& [number, rows] : rows_)
    for (auto& [done, type] : rows)
      done.rank = place[done.rank];
}

/// Of the whole job, which has so many pairs of stage and data rank. Each may stand for a group
/// with tensor or context parallelism, whose size the job file may leave out.
std::uint32_t OperationsReader::gpus_on(std::uint32_t places) const {
  constexpr std::uint64_t kMostGpus = 1'000'000'000;
  const std::uint64_t whole =
      std::uint64_t{places} * std::max(shape_.tensor, 1U) * std::max(shape_.context, 1U);
  if (whole > kMostGpus)
    return places;  // which the job file contradicts
  const auto said = shape_.gpus > 0 ? shape_.gpus : static_cast<std::uint32_t>(shape_.hosts.size());
  const bool inner_said = shape_.tensor > 0 && shape_.context > 0;
  return said == 0 || inner_said || said % whole != 0 ? static_cast<std::uint32_t>(whole) : said;
}

/// Whether the last recorded stage sends as many messages forward as it has forward passes: a last
/// one sends none of its last chunk.
bool OperationsReader::has_next_stage() const {
  std::set<std::uint16_t> chunks;
  std::size_t passes = 0;
  std::size_t sent = 0;
  for (const auto& [number, rows] : rows_)
    for (const auto& [done, type] : rows) {
      if (job_.ranks[done.rank].stage + 1 != job_.stages)
        continue;
      sent += types_[type].peers == OperationPeers::NextSend ? 1 : 0;
      if (types_[type].work == JobWork::Forward) {
        chunks.insert(done.chunk);
        ++passes;
      }
    }
  const std::size_t each = 2 * std::max<std::size_t>(chunks.size(), chunks_);
  return each * sent > (each - 1) * passes;
}

/// Ranks that are not in the table, but that those in it meet.
void OperationsReader::find_more() {
  const std::uint32_t recorded = job_.stages;
  if (has_next_stage())
    job_.stages = std::max(recorded + 1, shape_.pipeline);
  const bool stages_said = shape_.pipeline == job_.stages;
  const bool meets = std::ranges::any_of(
      types_, [](const OperationType& type) { return type.peers != OperationPeers::Nobody; });
  job_.has_more = (job_.stages > recorded && !stages_said) ||
                  (job_.ranks.size() == 1 && meets && shape_.data == 0);
}

/// Chunks of the model count through the pipeline, so that no two stages have one in common. Where
/// all have the same each counts its own: in pipelines that are not interleaved 0 on every stage.
void OperationsReader::count_chunks_through() {
  const auto passes = [&](const TypedOperation& row) {
    const JobWork work = types_[row.second].work;
    return work == JobWork::Forward || work == JobWork::Backward;
  };
  std::map<std::uint32_t, std::set<std::uint16_t>> of_stages;
  for (const auto& [number, rows] : rows_)
    for (const TypedOperation& row : rows)
      if (passes(row))
        of_stages[job_.ranks[row.first.rank].stage].insert(row.first.chunk);
  const auto differs = [&](const auto& of_stage) {
    return of_stage.second != of_stages.begin()->second;
  };
  const std::uint64_t all = std::uint64_t{model_chunks_} * job_.stages;
  if (of_stages.size() < 2 || all > kMostPlaces || std::ranges::any_of(of_stages, differs))
    return;
  for (auto& [number, rows] : rows_)
    for (TypedOperation& row : rows)
      if (JobOperation& done = row.first; passes(row))
        done.chunk =
            static_cast<std::uint16_t>(done.chunk * job_.stages + job_.ranks[done.rank].stage);
  model_chunks_ *= job_.stages;
}

void OperationsReader::check_shape() {
  find_more();
  count_chunks_through();
  job_.data_ranks = data_groups(job_, shape_);
  const auto groups = static_cast<std::uint32_t>(job_.data_ranks.size());
  const auto check = [&](const char* key, std::uint32_t said, std::size_t found) {
    if (said > 0 && found > 0 && said != found)
      throw InputError(fmt::format("{}: expected {} = {}, as the job file says, found {}", origin_,
                                   key, said, found));
  };
  check("pp", shape_.pipeline, job_.stages);
  check("dp", shape_.data, groups);
  // Chunks are counted through the pipeline, or by each rank for itself.
  const std::uint32_t chunks =
      model_chunks_ > 0 ? (model_chunks_ + job_.stages - 1) / job_.stages : chunks_;
  check("vpp", shape_.chunks, chunks);
  check("micro_batches", shape_.micro_batches, micro_batches_);
  job_.shape = shape_;
  job_.shape.micro_batches = std::max(shape_.micro_batches, micro_batches_);
  job_.shape.chunks = std::max({shape_.chunks, chunks, chunks_, 1U});
  job_.places = groups * job_.stages;
  job_.gpus = gpus_on(job_.places);
  check_job_shape(shape_, job_.gpus, origin_);
  if (job_.ranks.size() < job_.places || job_.has_more)
    report_.doubt(fmt::format("job with {} of {}{} ranks", job_.ranks.size(),
                              job_.has_more ? "at least " : "",
                              std::max(job_.places, job_.has_more ? 2U : 1U)),
                  origin_);
}

void OperationsReader::add_step(std::int64_t number, std::vector<TypedOperation>& rows) {
  UnlinkedStep unlinked{
      .step = {.name = std::to_string(number), .number = static_cast<std::uint64_t>(number)}};
  std::set<std::uint32_t> seen;
  std::map<std::string, std::uint16_t> kinds;
  for (std::uint16_t i = 0; i < job_.kinds.size(); ++i)
    kinds[job_.kinds[i].name] = i;
  for (auto& [done, type] : rows) {
    const auto [kind, added] =
        kinds.emplace(types_[type].kind, static_cast<std::uint16_t>(job_.kinds.size()));
    if (added)
      job_.kinds.push_back({.name = types_[type].kind,
                            .work = types_[type].work,
                            .part = types_[type].kind,
                            .purpose = purpose_of(types_[type]),
                            .updates = types_[type].updates,
                            .scatters = types_[type].scatters});
    done.kind = kind->second;
    seen.insert(done.rank);
    unlinked.step.operations.push_back(done);
    unlinked.types.push_back(type);
  }
  steps_seen_.resize(job_.ranks.size());
  for (const std::uint32_t rank : seen)
    ++steps_seen_[rank];
  if (seen.size() < job_.ranks.size()) {
    report_.skip("step that not all ranks recorded", "step " + unlinked.step.name);
    return;
  }
  const Unlinked left = link_pipeline(unlinked, job_, types_);
  for (std::size_t i = 0; i < left.alone; ++i)
    report_.doubt("operation whose partners are not recorded", "step " + unlinked.step.name);
  for (std::size_t i = 0; i < left.without_passes; ++i)
    report_.doubt("message that no pass of its rank sends or waits for",
                  "step " + unlinked.step.name);
  job_.steps.push_back(std::move(unlinked.step));
}

}  // namespace

bool is_operations_csv(std::string_view head) {
  std::size_t begin = 0;
  while (begin < head.size() && head[begin] == '#')
    begin = std::min(head.size(), head.find('\n', begin)) + 1;
  if (begin >= head.size())
    return false;
  const std::string_view heading = head.substr(begin, head.find('\n', begin) - begin);
  const auto has = [&](std::string_view name) {
    return heading.find(name) != std::string_view::npos;
  };
  return has("optype") && has("start_ts") && has("duration");
}

Job read_operations_csv(const std::string& text, const std::string& origin, const JobShape& shape,
                        ImportReport& report) {
  Job job = OperationsReader(text, origin, shape, report).run();
  for (JobRank& rank : job.ranks)
    rank.host = host_of(shape, rank.number);
  return job;
}

}  // namespace stepcast
