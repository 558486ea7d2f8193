#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/cli/subcommand.hpp"
#include "traces/json/spooled_text.hpp"

namespace stepcast {

/// An option as a command's table names it ("--nodes", "FILE"), and its values.
using GivenOption = std::pair<std::string, std::vector<std::string>>;

/// What a command that was called wrote, and the exit code that it would end a process with.
struct CallResult {
  int exit_code = 0;
  std::string said;            ///< To standard output.
  SpooledText said_at_length;  ///< The rest of it, where it is long.
  std::string told;            ///< To standard error.
};

/// Throws InputError for a name that is no command's.
std::unique_ptr<Subcommand> find_subcommand(const std::string& name);

/// Runs a command in this process, without a parser: what it reads and prints is that of the
/// command line. `texts` stand for files, see GivenTexts; a job that is `foreign` reads no others
/// but StepCast's own data, and writes none. Throws as Subcommand::run() does, with the text that
/// the command line prints. By one thread at a time.
CallResult call_command(const std::string& name, const std::vector<GivenOption>& given,
                        std::map<std::string, std::string> texts, bool foreign = false);

}  // namespace stepcast
