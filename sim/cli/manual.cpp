#include "sim/cli/manual.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

namespace stepcast {
namespace {

/// Text for man(7): a backslash is written \e, a hyphen that is typed \-, and no line begins with
/// a dot or a quote, which would be a request.
std::string escaped(std::string_view text) {
  std::string out;
  char before = '\n';
  for (const char c : text) {
    const bool is_request = before == '\n' && (c == '.' || c == '\'');
    const std::string_view typed(&c, 1);
    out.append(is_request ? "\\&" : "").append(c == '\\' ? "\\e" : c == '-' ? "\\-" : typed);
    before = c;
  }
  return out;
}

std::string heading(std::string_view title, std::string_view name, std::string_view summary) {
  return fmt::format(
      ".TH {} 1 \"\" \"StepCast {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n", title,
      STEPCAST_VERSION, escaped(name), escaped(summary));
}

std::string entry(const CommandOption& option) {
  std::string name = option.name;
  std::ranges::replace(name, ',', ' ');
  return fmt::format(".TP\n\\fB{}\\fR \\fI{}\\fR\n{}\n", escaped(name), escaped(option.value),
                     escaped(option.meaning));
}

std::string upper(std::string text) {
  for (char& c : text)
    c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

/// "--output" of "-o,--output"; "" for an argument.
std::string long_name(const CommandOption& option) {
  const std::size_t dashes = option.name.rfind("--");
  return dashes == std::string::npos ? "" : option.name.substr(dashes);
}

std::string options_line(Subcommand& command) {
  std::string names = "--help";
  for (const CommandOption& option : command.options())
    if (const std::string name = long_name(option); !name.empty())
      names.append(" ").append(name);
  return fmt::format("    {}) options=\"{}\" ;;\n", command.listed.name, names);
}

}  // namespace

std::string manual_of_program() {
  std::string page = heading("STEPCAST", "stepcast",
                             "forecast the step time of distributed deep learning training");
  page += ".B stepcast\n.I COMMAND\n[options]\n.SH COMMANDS\n";
  for (const auto& command : all_subcommands())
    page += fmt::format(".TP\n.BR stepcast\\-{} (1)\n{}\n", command->listed.name,
                        escaped(command->listed.summary));
  return page +
         ".SH EXIT STATUS\n0: done. 1: a fault of the program. 2: wrong input or usage. 3: the "
         "simulation cannot complete, or --max-time is up. 4: a validation or gate out of "
         "tolerance.\n"
         ".SH ENVIRONMENT\n.TP\n.B STEPCAST_DATA\nThe folder that holds models, clusters and "
         "traces, where it is not the one installed with the program.\n";
}

std::string manual_of(Subcommand& command) {
  const CommandHelp help = command.help();
  const std::string name = "stepcast-" + command.listed.name;
  std::string page = heading(upper(name), name, command.listed.summary);
  page += fmt::format(".B stepcast {}\n[options]\n.SH DESCRIPTION\n{}\n.SH OPTIONS\n",
                      command.listed.name, escaped(help.description));
  for (const CommandOption& option : command.options())
    page += entry(option);
  page += ".SH EXAMPLES\n.nf\n";
  for (const std::string& example : help.examples)
    page += escaped(example) + "\n";
  return page + ".fi\n.SH SEE ALSO\n.BR stepcast (1)\n";
}

std::string bash_completion() {
  std::string names;
  std::string options;
  for (const auto& command : all_subcommands()) {
    names.append(names.empty() ? "" : " ").append(command->listed.name);
    options += options_line(*command);
  }
  return fmt::format(
      "# Completes stepcast's commands, options and the names of what is shipped.\n"
      "_stepcast() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} kind= "
      "options=\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W \"{}\" -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  case \"$before\" in\n"
      "    --workload) kind=workloads ;;\n"
      "    --cluster | --clusters) kind=clusters ;;\n"
      "    --schedule | --schedules) kind=schedules ;;\n"
      "    =) before=${{COMP_WORDS[COMP_CWORD - 2]}} ;;\n"
      "    *model | *device) [ \"$word\" = \"=\" ] && word= ;;\n"
      "  esac\n"
      "  case \"$before\" in  # of transformer:model=..,device=..\n"
      "    model | *,model) kind=transformers ;;\n"
      "    device | *,device | --device) kind=devices ;;\n"
      "  esac\n"
      "  if [ -n \"$kind\" ]; then\n"
      "    COMPREPLY=($(compgen -W \"$(stepcast list \"$kind\" 2>/dev/null | awk 'NR > 2 "
      "{{ print $1 }}')\" -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  case \"${{COMP_WORDS[1]}}\" in\n{}  esac\n"
      "  if [[ \"$word\" == -* ]]; then\n"
      "    COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
      "  else\n"
      "    COMPREPLY=($(compgen -f -- \"$word\"))\n"
      "  fi\n"
      "}}\n"
      "complete -F _stepcast stepcast\n",
      names, options);
}

}  // namespace stepcast
