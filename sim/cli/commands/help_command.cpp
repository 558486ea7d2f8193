#include <vector>

#include "sim/cli/command_line.hpp"
#include "sim/cli/subcommand.hpp"

namespace stepcast {
namespace {

/// `stepcast help run` for those who expect it; the same as `stepcast run --help`.
class HelpCommand final : public Subcommand {
 public:
  CommandHelp help() const override {
    return {.name = "help",
            .summary = "Print the commands, or the help of one",
            .description = "The same as stepcast --help and stepcast COMMAND --help.",
            .examples = {"stepcast help", "stepcast help run"}};
  }

  std::vector<CommandOption> options() override {
    return {{"COMMAND", "", &command_, "run, compare, ... (default: the list of them)"}};
  }

  int run() override {
    std::vector<const char*> arguments{"stepcast"};
    if (!command_.empty())
      arguments.push_back(command_.c_str());
    arguments.push_back("--help");
    return run_command_line(static_cast<int>(arguments.size()), arguments.data());
  }

 private:
  std::string command_;
};

}  // namespace

std::unique_ptr<Subcommand> make_help_command() {
  return std::make_unique<HelpCommand>();
}

}  // namespace stepcast
