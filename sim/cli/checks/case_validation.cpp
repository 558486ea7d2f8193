#include "sim/cli/checks/case_validation.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/tell.hpp"
#include "sim/report/json/cases_json.hpp"
#include "sim/report/text/cases_report.hpp"
#include "sim/study/validate/cases/cases.hpp"
#include "traces/settings.hpp"

namespace stepcast {
namespace {

constexpr int kOutOfTolerance = 4;

CaseOptions options_of(const CaseRequest& request) {
  const Settings settings = parse_settings(request.settings);
  if (!settings.cluster.empty() || settings.batch || settings.global_batch || settings.step_time ||
      settings.update_time || !settings.stragglers.empty())
    throw InputError("validate: --set with --cases takes options of pipelines only");
  return {.cluster = request.cluster, .blocks = request.blocks, .options = settings.schedule};
}

/// A file that is named twice would count its rows twice.
std::vector<std::string> each_once(const std::vector<std::string>& files) {
  std::vector<std::string> once;
  std::set<std::filesystem::path> seen;
  for (const std::string& file : files) {
    std::error_code absent;
    const std::filesystem::path place = std::filesystem::weakly_canonical(file, absent);
    if (seen.insert(absent ? std::filesystem::path(file) : place).second)
      once.push_back(file);
    else
      tell("stepcast: --cases: {} given twice, taken once\n", in_quotes(file));
  }
  return once;
}

}  // namespace

int run_case_validation(const CaseRequest& request) {
  LayoutTable table;
  for (const std::string& file : each_once(request.files)) {
    LayoutTable read = read_cases(file);
    std::ranges::move(read.rows, std::back_inserter(table.rows));
    std::ranges::move(read.rejected, std::back_inserter(table.rejected));
  }
  Progress progress("case", table.rows.size());
  const CaseResults results = predict_cases(table, options_of(request), [&] { progress.step(); });
  say("{}", request.json ? cases_json(results) : render_cases(results));
  if (request.max_error && results.cases.empty())
    throw InputError("--max-error: every row was left out; nothing is compared with it");
  if (results.cases.empty())
    throw InputError("--cases: every row was left out; nothing could be compared");
  for (const CaseErrors& set : results.sets)
    if (request.max_error && 100 * set.mean > *request.max_error) {
      std::fflush(stdout);
      tell("stepcast: the mean error of {} is {:.1f} %, above {} %\n", set.set, 100 * set.mean,
           *request.max_error);
      return kOutOfTolerance;
    }
  return 0;
}

}  // namespace stepcast
