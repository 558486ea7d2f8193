#include "sim/study/goodput/goodput_study.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace stepcast {
namespace {

constexpr double kHour = 3600;

// Below this much work an hour nothing is ever done.
double hours_at(const GoodputQuestion& question, double efficiency) {
  return question.samples / (question.training->samples_per_s * std::max(efficiency, 1e-9)) / kHour;
}

LikelyAndLate times(const LikelyAndLate& both, double factor) {
  return {both.p50 * factor, both.p95 * factor};
}

}  // namespace

GoodputAnswer answer_to(GoodputQuestion question) {
  GoodputAnswer answer;
  GoodputRequest& request = question.request;
  if (question.choose_spares) {
    answer.spares_tried = try_spares(request);
    request.spares = std::ranges::max_element(answer.spares_tried, {}, &SparesTried::paid)->spares;
  }
  answer.goodput = find_goodput(request);
  answer.warnings = warnings_of(request, answer.goodput);
  for (const std::string& caveat : question.caveats)
    answer.warnings.push_back(fmt::format("Caveat of the cluster: {}.", caveat));
  if (!question.choose_spares && lacks_nodes(request, answer.goodput))
    answer.remedy = find_spares_remedy(request, answer.goodput);
  const double nodes = request.nodes, held = request.nodes + request.spares;
  answer.goodput_share = answer.goodput.efficiency * nodes / held;
  if (question.training) {
    answer.goodput_share *= question.training->alone;
    answer.kept_samples_per_s = question.training->samples_per_s * answer.goodput.efficiency;
    if (question.samples > 0)
      answer.hours = {hours_at(question, answer.goodput.p50.value),
                      hours_at(question, answer.goodput.p5.value)};
    if (answer.hours && question.price > 0)
      answer.cost = times(*answer.hours, question.price * held * question.training->gpus_per_node);
  }
  answer.question = std::move(question);
  return answer;
}

}  // namespace stepcast
