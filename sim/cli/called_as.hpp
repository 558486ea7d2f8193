#pragma once

#include <string>

namespace stepcast {

/// Returns what to write before a command's arguments so that a shell runs this program again:
/// "stepcast" where the shell found it on its PATH, else the path with which it was called, quoted
/// where a shell needs that.
std::string called_as();

/// Returns the same for a program that was called as `argument_0`. A program of another name, such
/// as a Python interpreter with our module, cannot be typed as a command: it gives "stepcast".
std::string called_as(const std::string& argument_0);

}  // namespace stepcast
