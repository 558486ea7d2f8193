#pragma once
// What a system that StepCast is installed on reads about its commands: written from the same
// tables as --help, so that it cannot differ.

#include <string>

#include "sim/cli/subcommand.hpp"

namespace stepcast {

/// The manual page of the program: its commands, files and exit codes. For man(7).
std::string manual_of_program();

/// The manual page of a command: stepcast-run(1).
std::string manual_of(Subcommand& command);

/// A script that completes commands, their options and the names of what is shipped.
std::string bash_completion();

}  // namespace stepcast
