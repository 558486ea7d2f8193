#include "traces/readers/log_facts.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"
#include "models/collective/collective.hpp"
#include "traces/readers/import.hpp"

namespace stepcast {
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
