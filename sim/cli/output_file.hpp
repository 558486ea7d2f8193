#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "sim/cli/command_option.hpp"

namespace stepcast {

/// Throws InputError if a file could not be written there: its folder is missing or read-only, or
/// it is a folder itself. To be called before long work; writing may still fail later.
void check_writable(const std::string& path);

/// A file as the user named it, and the option that named it.
struct NamedFile {
  std::string option;
  std::string path;
};

/// check_writable() for each output of a command. Two that are one file, by whatever names, are
/// refused, and so is one that the command reads (an input, or a file in a folder that is one): it
/// would be lost.
void check_outputs(const std::vector<NamedFile>& outputs, const std::vector<NamedFile>& inputs);

/// check_outputs() for the files that the options of a command were given, before any work.
void check_given_files(std::span<const CommandOption> given);

/// Prints a result, then writes the files that belong to it. A file that cannot be written costs
/// neither the result nor the other files: the first InputError is thrown when all are done.
void print_then_write(std::string_view result, const std::vector<std::function<void()>>& files);

}  // namespace stepcast
