#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "models/base/units.hpp"

namespace stepcast {

/// Names that may be given as "a,b,c".
struct CommaList {
  std::vector<std::string> items;
};

/// Where the value of an option goes. The type decides how it is written: a flag takes no value,
/// texts are given one by one by repeating the option, and other lists also as "1,2,4". A list
/// holds a value once, however often it is given.
using OptionTarget =
    std::variant<bool*, std::string*, std::optional<std::uint32_t>*, std::optional<double>*,
                 std::optional<Seconds>*, std::optional<Bytes>*, std::optional<BytesPerSecond>*,
                 std::vector<std::string>*, CommaList*, std::vector<std::uint32_t>*,
                 std::vector<Bytes>*>;

bool is_flag(const OptionTarget& target);
bool is_list(const OptionTarget& target);
bool is_comma_list(const OptionTarget& target);  ///< One that takes "a,b,c".

/// One option or argument of a command, as plain data: commands need no parser library.
struct CommandOption {
  std::string name;   ///< "--workload", "-o,--output", or "EXPERIMENT" for a bare argument.
  std::string value;  ///< What `--help` shows as its value: "W"; empty for flags and arguments.
  OptionTarget target;
  std::string meaning;
  bool is_output = false;  ///< Names a file that the command writes.
};

/// Whether it is a bare argument.
bool is_argument(const CommandOption& option);

/// An option that names a file to write: "--csv", "also write ...".
CommandOption output_option(std::string name, std::string* target, std::string meaning);

/// Stores what the user gave; counts are from 1 on. Says on stderr which value of a list was given
/// twice. Throws InputError `<name>: expected ..., found
/// ...`.
void assign(const CommandOption& option, const std::vector<std::string>& texts);

}  // namespace stepcast
