#include "sim/cli/checks/case_validation.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "sim/cli/progress.hpp"
#include "sim/report/json/hybrid_json.hpp"
#include "sim/report/text/hybrid_report.hpp"
#include "sim/study/validate/cases/cases.hpp"
#include "traces/settings.hpp"

namespace stepcast {
namespace {

constexpr int kOutOfTolerance = 4;

CaseOptions options_of(const CaseRequest& request) {
  const Settings settings = parse_settings(request.settings);
  if (!settings.cluster.empty() || settings.batch || settings.global_batch || settings.step_time ||
      !settings.stragglers.empty())
    throw InputError("validate: --set with --cases takes options of pipelines only");
  return {.cluster = request.cluster, .options = settings.schedule};
}

}  // namespace

int run_case_validation(const CaseRequest& request) {
  std::vector<MeasuredLayout> rows;
  for (const std::string& file : request.files)
    std::ranges::move(read_cases(file), std::back_inserter(rows));
  Progress progress("case", rows.size());
  const CaseResults results = predict_cases(rows, options_of(request), [&] { progress.step(); });
  fmt::print("{}", request.json ? cases_json(results) : render_cases(results));
  for (const CaseErrors& set : results.sets)
    if (request.max_error && 100 * set.mean > *request.max_error) {
      std::fflush(stdout);
      fmt::print(stderr, "stepcast: the mean error of {} is {:.1f} %, above {} %\n", set.set,
                 100 * set.mean, *request.max_error);
      return kOutOfTolerance;
    }
  return 0;
}

}  // namespace stepcast
