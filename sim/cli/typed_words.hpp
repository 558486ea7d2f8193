#pragma once
// What errors take from the command line as it was typed.

#include <span>
#include <string>
#include <string_view>

#include "sim/cli/command_option.hpp"

namespace stepcast {

using Words = std::span<const char* const>;

/// The name by which the user called an option ("-o", "--figure"); its last where he did not.
std::string spelling_of(const CommandOption& option, Words words);

/// Where an error names a bare word that follows the value of a list, or a list as the value of an
/// option that takes none: "; " and what to write instead. Else "".
std::string hint_at_commas(std::span<const CommandOption> options, Words words,
                           std::string_view error);

/// An error that names an option otherwise than the user did ("--figure" for "--plot"), in the
/// user's words.
std::string in_typed_spelling(std::span<const CommandOption> options, Words words,
                              std::string message);

/// The arguments that an error of a study names, `low`, as they are typed: --low.
std::string as_typed(const std::string& message);

}  // namespace stepcast
