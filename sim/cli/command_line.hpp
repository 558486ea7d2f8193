#pragma once

namespace stepcast {

/// The whole program: parses the arguments, runs the command and reports errors as one line on
/// stderr. Returns the exit code: 0 ok, 1 a fault of ours, 2 wrong input or usage, 3 the simulation
/// cannot complete, 4 a validation out of tolerance.
int run_command_line(int argc, const char* const* argv);

}  // namespace stepcast
