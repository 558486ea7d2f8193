#include "sim/cli/study/goodput_advice.hpp"

#include <string>

#include <fmt/format.h>

namespace stepcast {
namespace {

std::string percent_of(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

std::string remedy_text(const GoodputAnswer& answer) {
  if (!answer.remedy)
    return "More spares do not pay.";
  return fmt::format("With {}--spares {} the efficiency is {} instead of {}.",
                     answer.remedy->restarts ? "--policy restart " : "", answer.remedy->spares,
                     percent_of(answer.remedy->efficiency), percent_of(answer.goodput.efficiency));
}

}  // namespace

void add_advice(GoodputAnswer& answer) {
  const GoodputQuestion& question = answer.question;
  if (!question.nodes_given && (question.request.fleet || question.request.sources))
    answer.warnings.emplace_back(
        "This is a job on one node, as nobody said how many it has; --nodes N is for a job on N "
        "nodes, whose faults come N times as often.");
  if (!question.choose_spares && lacks_nodes(question.request, answer.goodput))
    answer.warnings.push_back(fmt::format("The job waits for nodes {} of the time. {}",
                                          percent_of(answer.goodput.shares.waiting),
                                          remedy_text(answer)));
}

}  // namespace stepcast
