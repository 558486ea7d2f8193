#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "sim/cli/command_line.hpp"
#include "sim/cli/manual.hpp"
#include "sim/cli/subcommand.hpp"
#include "sim/cli/tell.hpp"

namespace stepcast {
namespace {

/// `stepcast help run` for those who expect it; the same as `stepcast run --help`.
class HelpCommand final : public Subcommand {
 public:
  CommandHelp help() const override {
    return {.description = "The same as stepcast --help and stepcast COMMAND --help.",
            .examples = {"stepcast help", "stepcast help run", "stepcast help run --man | man -l -",
                         "source <(stepcast help --completion)"}};
  }

  std::vector<CommandOption> options() override {
    return {{"COMMAND", "", &command_, "run, compare, ... (default: the list of them)"},
            {"--man", "", &man_, "print it as a manual page"},
            {"--completion", "", &completion_, "print a script that completes words in bash"}};
  }

  int run() override {
    if (completion_)
      return print(bash_completion());
    if (man_)
      return print(command_.empty() ? manual_of_program() : manual_of(*found()));
    std::vector<const char*> arguments{"stepcast"};
    if (!command_.empty())
      arguments.push_back(command_.c_str());
    arguments.push_back("--help");
    return run_command_line(static_cast<int>(arguments.size()), arguments.data());
  }

 private:
  static int print(const std::string& text) {
    say("{}", text);
    return 0;
  }

  std::unique_ptr<Subcommand> found() const {
    std::vector<std::string> names;
    for (auto& command : all_subcommands()) {
      names.push_back(command->listed.name);
      if (names.back() == command_)
        return std::move(command);
    }
    throw InputError(fmt::format("unknown command {} (see stepcast --help){}", in_quotes(command_),
                                 did_you_mean(command_, names)));
  }

  std::string command_;
  bool man_ = false;
  bool completion_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> make_help_command() {
  return std::make_unique<HelpCommand>();
}

}  // namespace stepcast
