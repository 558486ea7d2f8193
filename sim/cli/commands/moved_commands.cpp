#include "sim/cli/commands/moved_commands.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace stepcast {
namespace {

/// Takes the place of an option; what ends in "=" is written together with the value.
using Renamed = std::map<std::string, std::string>;

struct Moved {
  std::string now;                    ///< "run"
  std::vector<std::string> defaults;  ///< Options that the old command had without a word: pairs.
  Renamed renamed{};                  ///< "" for an option that is gone, with its value.
  std::string argument{};             ///< The option of the bare argument; empty: it stays bare.
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
        .defaults = {"--schedules ddp,topk-allgather,topka2a,gtopk,ok-topk",
                     "--set density=0.001,0.002,0.005,0.01,0.02,0.05,0.1,0.2,0.5",
                     "--set cluster.nic.bandwidth=1Gbps,2.5Gbps,5Gbps,10Gbps,25Gbps,50Gbps,100Gbps",
                     "--map density", "--fidelity analytic"},
        .renamed = {{"--density", "--set density="},
                    {"--bandwidth", "--set cluster.nic.bandwidth="},
                    {"--svg", "--figure"}}}},
      {"demo",
       {.now = "compare",
        .defaults = {"five-dnns", "--across schedule"},
        .renamed = {{"--timeline", ""}}}},
      {"edge", {.now = "run", .defaults = {}, .argument = "--edge"}}};
  return all;
}

/// "--set density=0.1" is given where the words of the default are, up to the value.
bool is_given(const std::string& line, const std::string& of_default) {
  return line.find(" " + of_default.substr(0, of_default.find_last_of(" =") + 1)) !=
         std::string::npos;
}

std::string carried_over(const Moved& moved, const std::vector<std::string>& arguments) {
  std::string line;
  bool is_value = false;
  bool is_left_out = false;
  bool joins = false;
  for (const std::string& argument : arguments) {
    if (argument.starts_with("--")) {
      const std::size_t equals = argument.find('=');
      const auto renamed = moved.renamed.find(argument.substr(0, equals));
      const std::string option =
          renamed == moved.renamed.end() ? argument.substr(0, equals) : renamed->second;
      is_left_out = option.empty();
      joins = option.ends_with('=');
      is_value = equals == std::string::npos;
      if (!is_left_out)
        line += " " + option;
      if (!is_left_out && equals != std::string::npos)
        line += (joins ? "" : " ") + argument.substr(equals + 1);
      continue;
    }
    if (!is_left_out) {
      if (!is_value && !moved.argument.empty())
        line += " " + moved.argument;
      line += (is_value && joins ? "" : " ") + argument;
    }
    is_value = is_left_out = joins = false;
  }
  return line;
}

}  // namespace

std::optional<std::string> moved_command(const std::string& name,
                                         const std::vector<std::string>& arguments) {
  const auto found = moved_commands().find(name);
  if (found == moved_commands().end())
    return std::nullopt;
  std::string line = carried_over(found->second, arguments);
  for (const std::string& of_default : found->second.defaults)
    if (!of_default.starts_with("--"))
      line = " " + of_default + line;
    else if (!is_given(line, of_default))
      line += " " + of_default;
  return fmt::format("`stepcast {}` is now `stepcast {}{}`", name, found->second.now, line);
}

}  // namespace stepcast
