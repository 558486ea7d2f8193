#include "sim/cli/output/study_output.hpp"

#include "sim/cli/tell.hpp"
#include "sim/study/stop.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {

int end_of_study(std::string_view what_is_there) {
  if (stop_signal() == 0)
    return 0;
  tell("stepcast: {}: {}\n", stop_in_words(), what_is_there);
  return exit_code_of(stop_signal());
}

std::vector<CommandOption> StudyOutput::options(const Meanings& meanings) {
  std::vector<CommandOption> options;
  if (!meanings.figure.empty())
    options.push_back(figure_.option(meanings.figure, meanings.figure_names));
  if (!meanings.csv.empty())
    options.push_back(output_option("--csv", &csv_, meanings.csv));
  if (meanings.page)
    options.push_back(page_.option());
  options.push_back({"--json", "", &json_, "print JSON"});
  return options;
}

void StudyOutput::check() const {
  page_.check();
  figure_.check();
}

int StudyOutput::write(const Writers& writers) const {
  if (figure_.is_wanted())
    figure_.write(writers.figure());
  if (page_.is_wanted())
    page_.write(writers.json());
  say("{}", json_ ? writers.json() : writers.text());
  return stop_signal() != 0 ? exit_code_of(stop_signal()) : 0;
}

}  // namespace stepcast
