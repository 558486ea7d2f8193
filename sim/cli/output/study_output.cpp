#include "sim/cli/output/study_output.hpp"

#include "sim/cli/output_file.hpp"
#include "sim/cli/tell.hpp"
#include "sim/workers/stop.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {

int end_of_study(std::string_view what_is_there) {
  if (stop_signal() == 0)
    return 0;
  tell("stepcast: {}: {}\n", stop_in_words(), what_is_there);
  return exit_code_of(stop_signal());
}

std::vector<CommandOption> StudyOutput::options(const std::string& drawn) {
  return {figure_.option(drawn), page_.option(), {"--json", "", &json_, "print JSON"}};
}

void StudyOutput::check() const {
  page_.check();
  figure_.check();
}

int StudyOutput::write(const Writers& writers) const {
  std::vector<std::function<void()>> files;
  if (writers.finish)
    files.push_back(writers.finish);
  if (figure_.is_wanted())
    files.emplace_back([&] { figure_.write(writers.figure()); });
  if (page_.is_wanted())
    files.emplace_back([&] { page_.write(writers.json()); });
  print_then_write(json_ ? writers.json() : writers.text(), files);
  return stop_signal() != 0 ? exit_code_of(stop_signal()) : 0;
}

}  // namespace stepcast
