#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/cli/command_option.hpp"

namespace stepcast {

/// What a command may use of the machine, as typed; every command takes these options.
struct Limits {
  std::string memory;        ///< Of each process; empty: nine tenths of the machine's; "none".
  std::string time;          ///< Of the whole command; empty: usual_time(); "none".
  bool allow_paths = false;  ///< Files may name files outside their folder.
};

std::vector<CommandOption> options_of(Limits& limits);

/// What the machine has, or the container that the process runs in (control groups 1 and 2).
Bytes memory_of_machine();

/// How long a command may take where nobody says: until shortly before a batch job's end, as Slurm
/// tells it, and a day at most.
Seconds usual_time();

/// Processor time that this process and its workers may use together where nobody says: until
/// shortly before the shell's limit (`ulimit -t`); nothing where there is none.
std::optional<Seconds> usual_processor_time();

/// From here on the process and its workers get no more memory than that (then they fail as with a
/// full machine, and say so), and end after that time: studies print what is there. Throws
/// InputError for what cannot be read.
void obey(const Limits& limits);

/// What this process may use of memory at most; infinite where nothing limits it.
Bytes memory_allowed();

/// Returns the time that is left to the command by --max-time or its default; infinite where
/// nothing limits it.
Seconds time_allowed();

/// "out of memory: ...", and how to allow more.
std::string out_of_memory_in_words();

}  // namespace stepcast
