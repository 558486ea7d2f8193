#include <span>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "sim/cli/subcommand.hpp"
#include "sim/cli/tell.hpp"
#include "sim/report/text/glossary.hpp"
#include "sim/report/text/table.hpp"

namespace stepcast {
namespace {

std::string entry(const Term& term) {
  const std::string also = term.also.empty() ? "" : fmt::format(" (also {})", term.also);
  return wrap(fmt::format("{}{}: {}", term.name, also, term.definition), 2);
}

std::string json_of(std::span<const Term> terms) {
  nlohmann::ordered_json json{{"version", STEPCAST_VERSION}};
  for (const Term& term : terms)
    json["terms"].push_back(
        {{"name", term.name}, {"also", term.also}, {"definition", term.definition}});
  return json.dump(2) + "\n";
}

/// Defines the words of the reports.
class ExplainCommand final : public Subcommand {
 public:
  CommandHelp help() const override {
    return {.description = "Without TERM: the whole glossary.",
            .examples = {"stepcast explain \"scaling efficiency\"", "stepcast explain busbw"}};
  }

  std::vector<CommandOption> options() override {
    return {{"TERM", "", &words_, "one word or several"}, {"--json", "", &json_, "print JSON"}};
  }

  int run() override {
    const std::span<const Term> terms = wanted_terms();
    if (json_)
      say("{}", json_of(terms));
    else
      for (const Term& term : terms)
        say("{}", entry(term));
    return 0;
  }

 private:
  std::span<const Term> wanted_terms() const {
    if (words_.empty())
      return all_terms();
    const std::string wanted = fmt::format("{}", fmt::join(words_, " "));
    const Term* term = find_term(wanted);
    if (term == nullptr)
      refuse(wanted);
    return {term, 1};
  }

  [[noreturn]] static void refuse(const std::string& wanted) {
    std::vector<std::string> names = printed_columns();
    for (const Term& term : all_terms())
      names.emplace_back(term.name);
    throw InputError(fmt::format("unknown term {} (stepcast explain lists all){}",
                                 in_quotes(wanted), did_you_mean(wanted, names)));
  }

  std::vector<std::string> words_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> make_explain_command() {
  return std::make_unique<ExplainCommand>();
}

}  // namespace stepcast
