#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/cli/command_option.hpp"

namespace stepcast {

/// A command in the list of them.
struct CommandListing {
  std::string name;     ///< "run"
  std::string summary;  ///< One line of at most 75 characters.
};

/// What `--help` says about a command beside that.
struct CommandHelp {
  std::string description;            ///< Some lines more.
  std::vector<std::string> examples;  ///< Complete command lines.
};

/// One command of the program. Life: help() and options() before the arguments are parsed into the
/// targets that options() names, then run() once.
class Subcommand {
 public:
  virtual ~Subcommand() = default;

  CommandListing listed;  ///< As all_subcommands() has it.

  virtual CommandHelp help() const = 0;
  virtual std::vector<CommandOption> options() = 0;
  /// Prints the result to stdout and returns the exit code. Throws InputError, SimulationError.
  virtual int run() = 0;
};

/// Every command, in the order in which `stepcast --help` lists them.
std::vector<std::unique_ptr<Subcommand>> all_subcommands();

// One for each file <name>_command.cpp.
std::unique_ptr<Subcommand> make_run_command();
std::unique_ptr<Subcommand> make_compare_command();
std::unique_ptr<Subcommand> make_merge_command();
std::unique_ptr<Subcommand> make_tune_command();
std::unique_ptr<Subcommand> make_list_command();
std::unique_ptr<Subcommand> make_show_command();
std::unique_ptr<Subcommand> make_plan_command();
std::unique_ptr<Subcommand> make_goodput_command();
std::unique_ptr<Subcommand> make_explain_command();
std::unique_ptr<Subcommand> make_collective_command();
std::unique_ptr<Subcommand> make_validate_command();
std::unique_ptr<Subcommand> make_gate_command();
std::unique_ptr<Subcommand> make_report_command();
std::unique_ptr<Subcommand> make_derive_command();
std::unique_ptr<Subcommand> make_import_command();
std::unique_ptr<Subcommand> make_calibrate_command();
std::unique_ptr<Subcommand> make_inspect_command();
std::unique_ptr<Subcommand> make_diagnose_command();
std::unique_ptr<Subcommand> make_optimise_command();
std::unique_ptr<Subcommand> make_replay_command();
std::unique_ptr<Subcommand> make_schema_command();
std::unique_ptr<Subcommand> make_help_command();
std::unique_ptr<Subcommand> make_version_command();

}  // namespace stepcast
