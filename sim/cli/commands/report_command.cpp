#include <string>

#include "models/base/error.hpp"
#include "sim/cli/page_file.hpp"
#include "sim/cli/subcommand.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {
namespace {

/// A page from a result that was kept as JSON.
class ReportCommand final : public Subcommand {
 public:
  CommandHelp help() const override {
    return {.description =
                "RESULT is what any command printed with --json. The page is one HTML file that "
                "opens from disk\nand needs no network. run, compare, scaling, crossover and tune "
                "write it at once with --page FILE.",
            .examples = {"stepcast report result.json --page result.html",
                         "stepcast report run.json --timeline run-timeline.json --page run.html"}};
  }

  std::vector<CommandOption> options() override {
    return {{"RESULT", "", &result_, "a file of JSON"},
            {"--timeline", "FILE", &timeline_, "what run --timeline wrote (not compressed)"},
            page_.option()};
  }

  int run() override {
    if (result_.empty() || !page_.is_wanted())
      throw InputError(
          "report: expected a result and a page: stepcast report RESULT.json --page FILE.html");
    const auto read = [](const std::string& file) {
      return file.empty() ? PageSource{} : PageSource{file, read_text_file(file)};
    };
    const PageSource result = read(result_);
    check_result(result);
    page_.check();
    page_.write(result, read(timeline_));
    return 0;
  }

 private:
  std::string result_;
  std::string timeline_;
  PageFile page_;
};

}  // namespace

std::unique_ptr<Subcommand> make_report_command() {
  return std::make_unique<ReportCommand>();
}

}  // namespace stepcast
