#include "sim/cli/commands/moved_commands.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>

namespace stepcast {
namespace {

/// Takes the place of an option; what ends in "=" is written together with the value.
using Renamed = std::map<std::string, std::string>;

struct Moved {
  std::string now;                    ///< "run"
  std::vector<std::string> defaults;  ///< Options that the old command had without a word: pairs.
  std::vector<std::string> without_argument{};  ///< The same, where no experiment is named.
  Renamed renamed{};
  std::string argument{};   ///< The option of the bare argument; empty: it stays bare.
  std::string elsewhere{};  ///< An option that another command takes,
  std::string other{};      ///< which is this.
};

const std::map<std::string, Moved>& moved_commands() {
  static const std::map<std::string, Moved> all{
      {"scaling",
       {.now = "compare",
        .defaults = {"--nodes 1,2,4,8,16", "--across nodes"},
        .renamed = {{"--clusters", "--cluster"}}}},
      {"breakdown",
       {.now = "run", .defaults = {"--parts exposed"}, .renamed = {{"--protocol", "--parts"}}}},
      {"solve",
       {.now = "compare",
        .defaults = {},
        .renamed = {{"--iterations", "--steps"}},
        .argument = "--goal"}},
      {"crossover",
       {.now = "compare",
        .defaults = {"--set density=0.001,0.002,0.005,0.01,0.02,0.05,0.1,0.2,0.5",
                     "--set cluster.nic.bandwidth=1Gbps,2.5Gbps,5Gbps,10Gbps,25Gbps,50Gbps,100Gbps",
                     "--map density"},
        .without_argument = {"--schedules ddp,topk-allgather,topka2a,gtopk,ok-topk",
                             "--fidelity analytic"},
        .renamed = {{"--density", "--set density="},
                    {"--bandwidth", "--set cluster.nic.bandwidth="},
                    {"--svg", "--figure"}}}},
      {"demo",
       {.now = "compare",
        .defaults = {"five-dnns", "--across schedule"},
        .elsewhere = "--timeline",
        .other = "run --workload densenet201-rtx2080ti-bs32 --cluster rtx2080ti-16x4-10gbe "
                 "--preset dear-icdcs23"}},
      {"edge", {.now = "run", .defaults = {}, .argument = "--edge"}}};
  return all;
}

bool is_flag(const std::string& option) {
  static const std::set<std::string> flags{"--json",        "--unfold", "--without-gradients",
                                           "--allow-paths", "--help",   "-h"};
  return flags.contains(option);
}

/// "--set density=0.1" is given where the words of the default are, up to the value.
bool is_given(const std::string& line, const std::string& of_default) {
  return line.find(" " + of_default.substr(0, of_default.find_last_of(" =") + 1)) !=
         std::string::npos;
}

std::string quoted_for_shell(const std::string& text) {
  constexpr std::string_view kPlain = "/._-+,:@%=";
  const auto is_plain = [&](unsigned char c) {
    return std::isalnum(c) != 0 || kPlain.find(static_cast<char>(c)) != std::string_view::npos;
  };
  if (!text.empty() && std::ranges::all_of(text, is_plain))
    return text;
  std::string quoted = "'";
  for (const char c : text)
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

struct Carried {
  std::string line{};       ///< The arguments as the new command takes them.
  std::string elsewhere{};  ///< The value of Moved::elsewhere.
  bool has_argument = false;
  bool asks_for_help = false;
};

Carried carried_over(const Moved& moved, const std::vector<std::string>& arguments) {
  Carried carried;
  std::string option;  // whose value comes next
  const auto add_value = [&](const std::string& value) {
    if (option == moved.elsewhere)
      carried.elsewhere = value;
    else
      carried.line += (option.ends_with('=') ? "" : " ") + quoted_for_shell(value);
    option.clear();
  };
  for (const std::string& argument : arguments) {
    if (!option.empty() && !argument.starts_with("--")) {
      add_value(argument);
    } else if (argument.starts_with('-') && argument.size() > 1) {
      const std::size_t equals = argument.find('=');
      const std::string name = argument.substr(0, equals);
      const auto renamed = moved.renamed.find(name);
      option = renamed == moved.renamed.end() ? quoted_for_shell(name) : renamed->second;
      if (option != moved.elsewhere)
        carried.line += " " + option;
      carried.asks_for_help |= option == "--help" || option == "-h";
      if (equals != std::string::npos)
        add_value(argument.substr(equals + 1));
      else if (is_flag(option))
        option.clear();
    } else {
      carried.has_argument = true;
      carried.line += moved.argument.empty() ? " " : " " + moved.argument + " ";
      carried.line += quoted_for_shell(argument);
    }
  }
  return carried;
}

}  // namespace

std::optional<std::string> moved_command(const std::string& name,
                                         const std::vector<std::string>& arguments) {
  const auto found = moved_commands().find(name);
  if (found == moved_commands().end())
    return std::nullopt;
  const Moved& moved = found->second;
  const Carried carried = carried_over(moved, arguments);
  std::vector<std::string> defaults = moved.defaults;
  if (!carried.has_argument)
    std::ranges::copy(moved.without_argument, std::back_inserter(defaults));
  if (carried.asks_for_help)
    defaults.clear();
  std::string line = carried.line;
  for (const std::string& of_default : defaults)
    if (!of_default.starts_with("--"))
      line = " " + of_default + line;
    else if (!is_given(line, of_default))
      line += " " + of_default;
  return fmt::format("`stepcast {}` is now `stepcast {}{}`", name, moved.now, line) +
         (carried.elsewhere.empty()
              ? ""
              : fmt::format("; a timeline is `stepcast {} {} {}`", moved.other, moved.elsewhere,
                            quoted_for_shell(carried.elsewhere)));
}

}  // namespace stepcast
