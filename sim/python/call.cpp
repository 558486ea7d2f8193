#include "sim/python/call.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "sim/cli/output_file.hpp"
#include "sim/cli/tell.hpp"
#include "sim/cli/typed_words.hpp"
#include "traces/catalog.hpp"
#include "traces/json/given_texts.hpp"

namespace stepcast {
namespace {

std::vector<CommandOption> assigned(const std::string& command, std::vector<CommandOption> options,
                                    const std::vector<GivenOption>& given) {
  std::vector<CommandOption> taken;
  for (const auto& [name, texts] : given) {
    const auto option = std::ranges::find(options, name, &CommandOption::name);
    if (option == options.end()) {
      std::vector<std::string> names;
      std::ranges::transform(options, std::back_inserter(names), &CommandOption::name);
      throw InputError(fmt::format("unknown option {} (see stepcast {} --help){}", in_quotes(name),
                                   command, did_you_mean(name, names)));
    }
    if (!is_flag(option->target) && texts.empty())
      throw InputError(name + ": expected a value, found none");
    assign(*option, texts);
    taken.push_back(*option);
  }
  return taken;
}

std::vector<std::string> names_of(const std::vector<std::unique_ptr<Subcommand>>& commands) {
  std::vector<std::string> names;
  for (const auto& command : commands)
    names.push_back(command->listed.name);
  return names;
}

}  // namespace

std::unique_ptr<Subcommand> find_subcommand(const std::string& name) {
  std::vector<std::unique_ptr<Subcommand>> commands = all_subcommands();
  static const std::vector<std::string> names = names_of(commands);
  const auto found = std::ranges::find(names, name);
  if (found == names.end())
    throw InputError(fmt::format("unknown command {} (see stepcast --help){}", in_quotes(name),
                                 did_you_mean(name, names)));
  return std::move(commands[static_cast<std::size_t>(found - names.begin())]);
}

CallResult call_command(const std::string& name, const std::vector<GivenOption>& given,
                        std::map<std::string, std::string> texts, bool foreign) {
  const GivenTexts in_place_of_files(
      std::move(texts), foreign ? std::optional(std::filesystem::path(data_root())) : std::nullopt);
  KeptOutput output;
  try {
    const std::unique_ptr<Subcommand> command = find_subcommand(name);
    check_given_files(assigned(name, command->options(), given));
    const int exit_code = command->run();
    return {exit_code, std::move(output.said), std::move(output.said_at_length),
            std::move(output.told)};
  } catch (const InputError& error) {
    throw InputError(as_typed(error.what()));
  } catch (const SimulationError& error) {
    throw SimulationError(as_typed(error.what()));
  }
}

}  // namespace stepcast
