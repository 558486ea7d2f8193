#pragma once

#include <string>
#include <vector>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "sim/cli/command_option.hpp"
#include "sim/jobs/edits/recipes.hpp"

namespace stepcast {

/// Edits of a step, as typed.
struct TypedEdits {
  std::vector<std::string> texts;
  std::string file;
};

CommandOption edit_option(TypedEdits& edits);
CommandOption edit_file_option(TypedEdits& edits);

/// What verbs, keys and recipes there are.
std::string help_of_edits();

/// Those of the file, then the others. Throws InputError naming the option, or the file.
std::vector<EditRequest> requests_of(const TypedEdits& edits);

/// What `parse` returns; its errors name the option.
template <typename Parse>
auto of_option(const std::string& option, Parse parse) {
  try {
    return parse();
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", option, error.what()));
  }
}

}  // namespace stepcast
