#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace stepcast {

/// An option by its name, and whether the user gave it.
struct NamedOption {
  const char* name;
  bool is_given;
};

/// The names of those that were given, as a sentence lists them: "--plot", "--a and --b"; "": none.
std::string given_among(std::initializer_list<NamedOption> options);

/// Throws InputError "<the options that were given>: <what is wrong with them>" where any was: an
/// answer names no option that the user did not type.
void refuse_given(std::string_view what_is_wrong, std::initializer_list<NamedOption> options);

}  // namespace stepcast
