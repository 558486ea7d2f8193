#include "traces/formats/benchmark_log.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"
#include "models/base/utf8.hpp"
#include "models/collective/collective.hpp"
#include "traces/formats/benchmark_formats.hpp"
#include "traces/formats/gzip.hpp"
#include "traces/formats/import.hpp"
#include "traces/formats/log_text.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {

namespace {

constexpr Seconds kShortest{1e-9};
constexpr Seconds kLongest{1e6};
constexpr Bytes kLargest{1e15};

// A new format is a folder beside these, and one line here.
constexpr std::array kFormats = {
    BenchmarkFormat{"nccl-tests", is_nccl_tests_text, read_nccl_tests_text},
    BenchmarkFormat{"nccl-tests JSON", is_nccl_tests_json, read_nccl_tests_json},
    BenchmarkFormat{"OSU", is_osu, read_osu},
    BenchmarkFormat{"ib_write_bw", is_ib_write_bw, read_ib_write_bw},
    BenchmarkFormat{"iperf3 JSON", is_iperf3_json, read_iperf3_json},
    BenchmarkFormat{"iperf3", is_iperf3_text, read_iperf3_text},
};

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const BenchmarkFormat& format : kFormats)
    names.emplace_back(format.name);
  return names;
}

}  // namespace

BenchmarkLog parse_benchmark_log(std::string_view labelled, const std::string& origin,
                                 const BenchmarkHints& hints, ImportReport& report) {
  const std::string text = without_labels(labelled);
  const auto format =
      std::ranges::find_if(kFormats, [&](const auto& candidate) { return candidate.sniff(text); });
  if (format == kFormats.end())
    throw InputError(
        fmt::format("{}: expected the output of a network benchmark ({}), found another content",
                    origin, fmt::join(format_names(), ", ")));
  report.format = format->name;
  return format->read(text, origin, hints, report);
}

BenchmarkLog read_benchmark_log(const std::filesystem::path& path, const BenchmarkHints& hints,
                                ImportReport& report) {
  const std::string origin = path.string();
  // What programs print may be in any encoding; names in it come to be JSON.
  const std::string text = valid_utf8(gunzip_if_compressed(read_text_file(path), origin));
  return parse_benchmark_log(text, origin, hints, report);
}

void CurveBuilder::add(Bytes size, Seconds time, const std::string& where) {
  if (size < Bytes{} || time < Seconds{})
    return report_.skip("row with a negative number", where);
  if (size == Bytes{})
    return report_.skip("row of size 0", where);
  if (!(time >= kShortest && time <= kLongest) || !(size >= Bytes{1} && size <= kLargest))
    return report_.skip("row whose size or time no network can have", where);
  const auto known = std::ranges::find(points_, size, &CurvePoint::size);
  if (known == points_.end()) {
    points_.push_back({size, time});
    return;
  }
  report_.doubt("size that comes again; the shorter time was taken", where);
  known->time = std::min(known->time, time);
}

void CurveBuilder::refuse_none(const std::string& origin) const {
  if (points_.empty())
    throw InputError(fmt::format("{}: expected at least one measured size, found none{}", origin,
                                 reasons_in(report_)));
}

CollectiveCurve CurveBuilder::finish(CollectiveKind kind, std::uint32_t ranks, std::uint32_t nodes,
                                     const std::string& origin) {
  constexpr std::uint32_t kMost = 1U << 20U;
  refuse_none(origin);
  if (ranks == 0 || nodes == 0)
    throw InputError(fmt::format(
        "{}: does not say on how many nodes and GPUs it ran; give --layout NODESxGPUS", origin));
  if (ranks < 2 || ranks > kMost || ranks % nodes != 0)
    throw InputError(
        fmt::format("{}: expected two or more ranks, equally many a node, found {} on {} nodes",
                    origin, ranks, nodes));
  std::ranges::sort(points_, {}, &CurvePoint::size);
  return {.kind = kind, .ranks = ranks, .nodes = nodes, .points = std::move(points_)};
}

std::optional<CollectiveKind> find_kind_in(std::string_view name) {
  using enum CollectiveKind;
  // The longer names first: "reduce" is part of "allreduce".
  static constexpr std::array<std::pair<const char*, CollectiveKind>, 7> kNames = {
      {{"allreduce", AllReduce},
       {"reducescatter", ReduceScatter},
       {"allgather", AllGather},
       {"alltoall", AllToAll},
       {"broadcast", Broadcast},
       {"bcast", Broadcast},
       {"reduce", Reduce}}};
  const std::string letters = letters_of(name);
  for (const auto& [text, kind] : kNames)
    if (letters.find(text) != std::string::npos)
      return kind;
  return std::nullopt;
}

namespace {

constexpr const char* kByUser = "the command line";

bool allows(const LogFacts& facts, CollectiveKind kind) {
  return facts.possible.empty() || std::ranges::count(facts.possible, kind) > 0;
}

std::string possible_names(const LogFacts& facts) {
  std::vector<std::string> names;
  for (const CollectiveKind kind : facts.possible)
    names.emplace_back(name_of(kind));
  return fmt::format("{}", fmt::join(names, " or "));
}

std::string to_text(const LogLayout& layout) {
  return fmt::format("{}x{}", layout.nodes, layout.ranks / layout.nodes);
}

}  // namespace

CollectiveKind kind_of_log(const LogFacts& facts, const BenchmarkHints& hints,
                           const std::string& origin, ImportReport& report) {
  if (facts.kind) {
    if (hints.kind && hints.kind != facts.kind)
      report.doubt(fmt::format("--kind {} for a log that says {}, which was taken",
                               name_of(*hints.kind), name_of(*facts.kind)),
                   kByUser);
    return *facts.kind;
  }
  if (hints.kind && !allows(facts, *hints.kind))
    throw InputError(fmt::format("{}: expected --kind {} by the log's columns, found {}", origin,
                                 possible_names(facts), name_of(*hints.kind)));
  if (hints.kind)
    return *hints.kind;
  const auto by_name = find_kind_in(std::filesystem::path(origin).filename().string());
  if (by_name && allows(facts, *by_name))
    return *by_name;
  const std::string choice =
      facts.possible.empty() ? "" : fmt::format(" ({})", possible_names(facts));
  throw InputError(fmt::format(
      "{}: neither the log nor the file's name says which collective it is; give --kind{}", origin,
      choice));
}

LogLayout layout_of_log(const LogFacts& facts, const BenchmarkHints& hints,
                        const std::string& origin, ImportReport& report) {
  const LogLayout given{.ranks = hints.nodes * hints.gpus_per_node, .nodes = hints.nodes};
  if (facts.ranks == 0)
    return given;
  if (facts.nodes == 0) {
    if (given.nodes != 0 && given.ranks != facts.ranks)
      throw InputError(fmt::format("{}: expected a layout of the log's {} ranks, found {}", origin,
                                   facts.ranks, to_text(given)));
    return {.ranks = facts.ranks, .nodes = given.nodes};
  }
  const LogLayout said{.ranks = facts.ranks, .nodes = facts.nodes};
  if (given.nodes != 0 && (given.ranks != said.ranks || given.nodes != said.nodes))
    report.doubt(fmt::format("layout {} for a log that says {}, which was taken", to_text(given),
                             to_text(said)),
                 kByUser);
  return said;
}

std::string reasons_in(const ImportReport& report) {
  const std::vector<std::string> lines = describe(report);
  return lines.empty() ? "" : fmt::format(" ({})", fmt::join(lines, "; "));
}

}  // namespace stepcast
