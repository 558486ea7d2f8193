#include "sim/cli/command_line.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "models/base/utf8.hpp"
#include "sim/cli/checks/limits.hpp"
#include "sim/cli/commands/moved_commands.hpp"
#include "sim/cli/output_file.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/subcommand.hpp"
#include "sim/cli/tell.hpp"
#include "sim/cli/terminal_width.hpp"
#include "sim/cli/typed_words.hpp"
#include "sim/engine/folding/folding_use.hpp"
#include "sim/engine/log.hpp"
#include "sim/engine/process/simulation_process.hpp"
#include "sim/report/text/table.hpp"
#include "sim/workers/stop.hpp"

namespace stepcast {
namespace {

constexpr const char* kAbout =
    "StepCast forecasts the step time of distributed DNN training: it replays a training schedule\n"
    "over measured per-layer times and a model of the cluster, on one laptop core.\n";

constexpr const char* kFirstSteps =
    "Examples:\n"
    "  stepcast compare five-dnns --across schedule\n"
    "  stepcast compare --workload resnet50-rtx2080ti-bs64 --cluster rtx2080ti-16x4-10gbe\n"
    "  stepcast run --workload bert-base-rtx2080ti-bs64 --cluster rtx2080ti-16x4-10gbe "
    "--schedule dear\n"
    "  stepcast COMMAND --help\n\n"
    "Every command takes --max-memory SIZE (default: nine tenths of the machine's; none) and\n"
    "--max-time TIME, such as 10m (default: a day, or until shortly before the batch job or the\n"
    "shell would end it; none): it fails, or a study prints what is there, rather than use\n"
    "more. With --allow-paths files that are read may name files outside their folder.";

/// An option of a command, and what the parser found for it.
struct Binding {
  CommandOption option;
  CLI::Option* parsed = nullptr;
};

/// A command and its part of the parser.
struct Command {
  std::unique_ptr<Subcommand> code;
  CLI::App* parser = nullptr;
  std::vector<Binding> bindings;
  std::unique_ptr<Limits> limits = std::make_unique<Limits>();
};

/// What a file holds may be in a message, but must not move a terminal's cursor or end its line.
std::string single_line(std::string text) {
  while (!text.empty() && text.back() == '\n')
    text.pop_back();
  std::ranges::replace(text, '\n', ' ');
  std::ranges::replace_if(
      text, [](char c) { return std::iscntrl(static_cast<unsigned char>(c)) != 0; }, '?');
  return text;
}

/// Declares one option. Values stay text here; assign() converts them, so that all errors read
/// alike.
void bind(Command& command, CommandOption option) {
  CLI::App& parser = *command.parser;
  CLI::Option* parsed = nullptr;
  if (is_flag(option.target)) {
    parsed = parser.add_flag(option.name, std::as_const(option.meaning));
  } else {
    const CLI::callback_t keep = [](const CLI::results_t&) { return true; };
    parsed = parser.add_option(option.name, keep, option.meaning)->type_name(option.value);
  }
  if (is_list(option.target))
    parsed->expected(is_argument(option) ? -1 : 1)->take_all();
  else if (!is_flag(option.target) && !is_argument(option))
    parsed->take_all();  // run_command() says better that it was given twice
  command.bindings.push_back({std::move(option), parsed});
}

std::string examples_of(const CommandHelp& help) {
  std::string text = help.examples.size() > 1 ? "Examples:" : "Example:";
  for (const std::string& example : help.examples)
    text += "\n  " + example;
  return text;
}

Command add_command(CLI::App& app, std::unique_ptr<Subcommand> code) {
  Command command{.code = std::move(code)};
  command.parser = app.add_subcommand(command.code->listed.name, command.code->listed.summary);
  command.parser->allow_extras();
  return command;
}

/// Declares the options of a command and describes it: not of all, which takes a millisecond.
void complete(Command& command) {
  const CommandHelp help = command.code->help();
  command.parser->description(command.code->listed.summary + ".\n" + help.description + "\n");
  command.parser->footer(examples_of(help));
  for (CommandOption& option : command.code->options())
    bind(command, std::move(option));
  for (CommandOption& option : options_of(*command.limits)) {
    bind(command, std::move(option));
    command.bindings.back().parsed->group("");  // of all commands: `stepcast --help` tells of them
  }
}

std::vector<std::string> option_names(const CLI::App& parser) {
  std::vector<std::string> names;
  for (const CLI::Option* option : parser.get_options()) {
    for (const std::string& name : option->get_lnames())
      names.push_back("--" + name);
  }
  return names;
}

/// What the user may have meant: where the nodes are typed, not the GPUs, these decide the size.
std::string hint_at_option(const std::string& name, const std::vector<std::string>& known) {
  if (name == "--gpus" && std::ranges::find(known, "--nodes") != known.end())
    return "; did you mean \"--nodes\"?";
  return did_you_mean(name, known);
}

/// Refuses what the parser did not know, naming the nearest option.
void refuse_extras(const CLI::App& parser, const std::string& shown) {
  const std::vector<std::string> extras = parser.remaining();
  if (extras.empty())
    return;
  const std::string name = extras.front().substr(0, extras.front().find('='));
  if (!name.starts_with('-'))
    throw InputError(fmt::format("unexpected argument {} (see {} --help)", in_quotes(name), shown));
  throw InputError(fmt::format("unknown option {} (see {} --help){}", in_quotes(name), shown,
                               hint_at_option(name, option_names(parser))));
}

/// The first bare argument must be a command; the parser itself would call it an unexpected one.
void check_command_name(const std::vector<Command>& commands, int argc, const char* const* argv) {
  if (argc < 2 || argv[1][0] == '-')
    return;
  std::vector<std::string> names;
  for (const Command& command : commands)
    names.push_back(command.parser->get_name());
  if (std::ranges::find(names, argv[1]) != names.end())
    return;
  if (const auto moved = moved_command(argv[1], {argv + 2, argv + argc}))
    throw InputError(*moved);
  throw InputError(fmt::format("unknown command {} (see stepcast --help){}", in_quotes(argv[1]),
                               did_you_mean(argv[1], names)));
}

void take(const Binding& binding, Words words) {
  CommandOption option = binding.option;
  option.name = spelling_of(option, words);
  if (is_flag(option.target))
    return assign(option, {});
  const std::vector<std::string> texts = binding.parsed->results();
  if (texts.size() > 1 && !is_list(option.target))
    throw InputError(fmt::format("{}: given twice: {} and {}", option.name, in_quotes(texts[0]),
                                 in_quotes(texts[1])));
  assign(option, texts);
}

std::vector<CommandOption> options_of(const Command& command) {
  std::vector<CommandOption> options;
  for (const Binding& binding : command.bindings)
    options.push_back(binding.option);
  return options;
}

std::string as_user_typed(const std::vector<CommandOption>& options, Words words,
                          const std::string& error) {
  const std::string commas = hint_at_commas(options, words, error);
  std::string message = in_typed_spelling(options, words, error);
  // One suggestion is enough: the nearest name is none of the list that was meant.
  if (const std::size_t guess = message.rfind("; did you mean ");
      commas.starts_with("; lists take commas") && guess != std::string::npos)
    message.resize(guess);
  return message + commas;
}

int run_command(Command& command, Words words) try {
  refuse_extras(*command.parser, "stepcast " + command.parser->get_name());
  std::vector<CommandOption> given;
  for (const Binding& binding : command.bindings)
    if (binding.parsed->count() > 0) {
      take(binding, words);
      given.push_back(binding.option);
    }
  check_given_files(given);
  obey(*command.limits);
  const BeatingHeart heart("stepcast " + command.parser->get_name());
  return command.code->run();
} catch (const InputError& error) {
  throw InputError(as_user_typed(options_of(command), words, error.what()));
}

/// The parser's errors that a user meets are those of an option without its value.
[[noreturn]] void refuse(const CLI::ParseError& error, const std::vector<Command>& commands,
                         Words words) {
  const std::string text = single_line(error.what());
  for (const Command& command : commands)
    for (const Binding& binding : command.bindings)
      if (command.parser->parsed() && text.starts_with(binding.parsed->get_name() + ":"))
        throw InputError(spelling_of(binding.option, words) + ": expected a value, found none");
  throw InputError(text);
}

/// Nobody may take a result for complete that was not written (a full disk). Who closed a pipe has
/// read enough: that ends the process as everywhere, silently.
int with_output_checked(int exit_code) {
  const int error = output_error();
  if (error == EPIPE) {
    std::signal(SIGPIPE, SIG_DFL);
    std::raise(SIGPIPE);
  }
  if (error != 0)
    throw InputError(fmt::format("standard output: cannot be written: {}", std::strerror(error)));
  return exit_code;
}

std::vector<Command> add_commands(CLI::App& app) {
  app.set_version_flag("--version", "stepcast " STEPCAST_VERSION);
  app.require_subcommand(0, 1)->allow_extras()->footer(kFirstSteps);
  app.get_formatter()->column_width(28);
  std::vector<Command> commands;
  for (std::unique_ptr<Subcommand>& code : all_subcommands())
    commands.push_back(add_command(app, std::move(code)));
  return commands;
}

int parse_and_run(int argc, const char* const* argv) {
  CLI::App app(kAbout, "stepcast");
  const Words words(argv, static_cast<std::size_t>(argc));
  std::vector<Command> commands = add_commands(app);
  check_command_name(commands, argc, argv);
  for (Command& command : commands) {
    if (std::ranges::find(words, command.parser->get_name()) != words.end())
      complete(command);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::CallForVersion& version) {
    return app.exit(version);
  } catch (const CLI::ParseError& error) {
    refuse(error, commands, words);
  }
  refuse_extras(app, "stepcast");
  for (Command& command : commands) {
    if (command.parser->parsed())
      return run_command(command, words);
  }
  say("{}", app.help());
  return 0;
}

/// With STEPCAST_LOG=debug.
void tell_folding() {
  if (folding_use().simulations > 0)
    log::debug(in_words(folding_use()));
}

int report(const std::string& what, int exit_code) {
  std::fflush(stdout);
  constexpr std::size_t kLongest =
      4000;  // What was read of others may be in it, as often as it likes.
  tell("stepcast: {}\n", abridged(as_typed(single_line(what)), kLongest));
  return exit_code;
}

}  // namespace

int run_command_line(int argc, const char* const* argv) {
  try {
    set_report_width(terminal_width());
    const int exit_code = parse_and_run(argc, argv);
    tell_folding();
    return with_output_checked(exit_code);
  } catch (const InputError& error) {
    return report(error.what(), 2);
  } catch (const SimulationKilled& killed) {
    return report(killed.what(), killed.is_crash() ? 1 : 3);  // a crash is a fault of StepCast
  } catch (const SimulationError& error) {
    return report(error.what(), 3);
  } catch (const Stopped& stopped) {
    output_error();  // flushed, whatever comes of it
    if (stopped.signal() == SIGALRM || stopped.signal() == SIGXCPU)
      tell("stepcast: out of time before a result was there\n");
    return exit_code_of(stopped.signal());
  } catch (const std::system_error& error) {
    return report(error.what(), 2);  // a full disk, a folder that may not be read
  } catch (const std::bad_alloc&) {
    return report(out_of_memory_in_words(), 1);
  } catch (const std::exception& error) {
    return report(error.what(), 1);
  }
}

}  // namespace stepcast
