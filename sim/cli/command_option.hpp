#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "models/base/units.hpp"

namespace stepcast {

/// Values of an option that may be given as "a,b,c".
struct CommaList {
  std::vector<std::string> items;
};

/// Where the value of an option goes. The type decides how it is written: a flag takes no value, a
/// vector may be given again and again.
using OptionTarget =
    std::variant<bool*, std::string*, std::optional<std::uint32_t>*, std::optional<double>*,
                 std::optional<Seconds>*, CommaList*, std::vector<std::string>*>;

/// One option or argument of a command, as plain data: commands need no parser library.
struct CommandOption {
  std::string name;   ///< "--workload", "-o,--output", or "EXPERIMENT" for a bare argument.
  std::string value;  ///< What `--help` shows as its value: "W"; empty for flags and arguments.
  OptionTarget target;
  std::string meaning;
};

/// Stores what the user gave. Throws InputError `<name>: expected ..., found ...`.
void assign(const CommandOption& option, const std::vector<std::string>& texts);

}  // namespace stepcast
