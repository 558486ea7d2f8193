#pragma once

#include <vector>

#include "sim/cli/command_option.hpp"

namespace stepcast {

/// What a command may use of the machine, as typed; every command takes these options.
struct Limits {
  std::string memory;           ///< Of each process; empty: nine tenths of the machine's, "none".
  std::optional<Seconds> time;  ///< Of the whole command; none: as long as it takes.
  bool allow_paths = false;     ///< Files may name files outside their folder.
};

std::vector<CommandOption> options_of(Limits& limits);

/// From here on the process and its workers get no more memory than that (then they fail as with a
/// full machine, and say so), and end after that time: studies print what is there. Throws
/// InputError for what cannot be read.
void obey(const Limits& limits);

/// "out of memory: ...", and how to allow more.
std::string out_of_memory_in_words();

}  // namespace stepcast
