// An answer to a mistake must be one that the command accepts.

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sim/cli/checks/given_options.hpp"
#include "sim/cli/subcommand.hpp"
#include "tests/sim/cli/run_cli.hpp"
#include "tests/support/input_error.hpp"

namespace stepcast {
namespace {

std::string file_text(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// Every option of a command, by its names.
std::map<std::string, std::set<std::string>> options_by_command() {
  std::map<std::string, std::set<std::string>> all;
  for (const auto& command : all_subcommands()) {
    std::set<std::string>& names = all[command->listed.name];
    names = {"--help", "--max-memory", "--max-time", "--allow-paths"};
    for (const CommandOption& option : command->options()) {
      std::istringstream parts(option.name);
      for (std::string name; std::getline(parts, name, ',');)
        names.insert(name);
    }
  }
  return all;
}

/// Options that an error names and its command does not take. An option that another command's name
/// precedes ("run --json") is that command's; one in quotes is what the user typed.
std::vector<std::string> wrong_options(const std::string& command, const std::string& error) {
  static const std::map<std::string, std::set<std::string>> kTaken = options_by_command();
  static const std::regex kOption("(?:([a-z-]+) )?(\"?)(--[a-z][a-z-]*)");
  std::vector<std::string> wrong;
  for (std::sregex_iterator each(error.begin(), error.end(), kOption), end; each != end; ++each) {
    const auto other = kTaken.find((*each)[1].str());
    const std::set<std::string>& taken = other != kTaken.end() ? other->second : kTaken.at(command);
    const bool is_quoted = (*each)[2].length() > 0;
    const bool is_of_tool = (*each)[1] == "nsys" || (*each)[1] == "export";
    if (!is_quoted && !is_of_tool && !taken.contains((*each)[3].str()))
      wrong.push_back((*each)[3].str());
  }
  return wrong;
}

TEST(SuggestedOptions, AreThoseOfTheCommandInEveryGoldenError) {
  int errors = 0;
  const auto folder = std::filesystem::path(STEPCAST_SOURCE_DIR) / "tests/golden";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string text = file_text(entry.path());
    const std::string line = file_text(std::filesystem::path(entry).replace_extension(".cmd"));
    std::smatch found;
    if (entry.path().extension() != ".err" || !text.starts_with("stepcast: ") ||
        !std::regex_search(line, found, std::regex("(?:^|\n)stepcast ([a-z]+)")) ||
        !options_by_command().contains(found[1]))
      continue;
    ++errors;
    for (const std::string& option : wrong_options(found[1], text))
      ADD_FAILURE() << entry.path().filename() << ": " << option << " in: " << text;
  }
  EXPECT_GT(errors, 80);
}

TEST(SuggestedOptions, OfDocumentsAreThoseOfTheCommand) {
  static const std::regex kCommand("`stepcast ([a-z]+)( [^`|]*)`");
  const std::filesystem::path root = STEPCAST_SOURCE_DIR;
  std::vector<std::filesystem::path> pages{root / "README.md", root / "CONTRIBUTING.md"};
  for (const char* folder : {"configs", "models", "traces", "sim", "tests"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder))
      if (entry.path().extension() == ".md")
        pages.push_back(entry.path());
  int commands = 0;
  for (const std::filesystem::path& page : pages) {
    const std::string text = file_text(page);
    for (std::sregex_iterator each(text.begin(), text.end(), kCommand), end; each != end; ++each) {
      if (!options_by_command().contains((*each)[1]))
        continue;
      ++commands;
      for (const std::string& option : wrong_options((*each)[1], (*each)[2]))
        ADD_FAILURE() << page.filename() << ": " << (*each)[0] << ": " << option;
    }
  }
  EXPECT_GT(commands, 30);
}

std::string error_of(const std::vector<std::string>& arguments) {
  const auto outcome = run_cli(arguments);
  EXPECT_EQ(outcome.exit_code, 2) << outcome.out;
  return outcome.err;
}

TEST(SuggestedOptions, AnOptionIsNoValueOfAList) {
  const std::string error =
      error_of({"compare", "--workload", "resnet50-rtx2080ti-bs64", "--cluster",
                "rtx2080ti-16x4-10gbe", "--nodes", "16", "--schedule", "dear"});
  EXPECT_EQ(error,
            "stepcast: unknown option \"--schedule\" (see stepcast compare --help); did you mean "
            "\"--schedules\"?\n");
}

TEST(SuggestedOptions, AWordThatAListOfNumbersCannotHoldIsNotProposed) {
  const std::vector<std::string> job{"compare",   "--workload",           "resnet50-rtx2080ti-bs64",
                                     "--cluster", "rtx2080ti-16x4-10gbe", "--nodes"};
  const auto with = [&job](std::initializer_list<const char*> more) {
    std::vector<std::string> all = job;
    all.insert(all.end(), more.begin(), more.end());
    return error_of(all);
  };
  EXPECT_NE(with({"8", "16"}).find("lists take commas: --nodes 8,16"), std::string::npos);
  EXPECT_EQ(with({"8", "sixteen"}).find("lists take commas"), std::string::npos);
}

TEST(SuggestedOptions, AScheduleThatIsNoneIsNotCalledOneThatIs) {
  const std::string error = error_of({"compare", "--workload", "resnet50-rtx2080ti-bs64",
                                      "--cluster", "rtx2080ti-16x4-10gbe", "--steps", "1f2b=1000"});
  EXPECT_NE(error.find("unknown schedule \"1f2b\""), std::string::npos) << error;
  EXPECT_NE(error.find("did you mean \"1f1b\"?"), std::string::npos) << error;
}

TEST(SuggestedOptions, AnswersNameTheOptionsThatWereGivenAsTheyWereTyped) {
  EXPECT_EQ(error_of({"validate", "--figure", "f.svg"}),
            "stepcast: --figure: expected results of stepcast-probe to validate\n");
  EXPECT_EQ(error_of({"validate", "--plot", "f.svg"}),
            "stepcast: --plot: expected results of stepcast-probe to validate\n");
  EXPECT_EQ(error_of({"validate", "--update-device", "-o", "d.json"}),
            "stepcast: --update-device and -o: expected results of stepcast-probe to validate\n");
  EXPECT_EQ(error_of({"goodput", "--mtbf", "9d", "--checkpoint", "1m", "--restart", "1m", "--days",
                      "3", "--servers", "4"}),
            "stepcast: --servers and --days: expected --faults beside it\n");
  EXPECT_EQ(error_of({"replay", "t.json", "--ideal", "--schedule", "dear"}),
            "stepcast: --schedule and --ideal: expected --ranks beside it\n");
}

// The batch is asked for where layers are made of the file, by a command that takes it.
TEST(SuggestedOptions, InspectNeedsNoBatch) {
  const TemporaryFolder folder;
  const std::string pipedream = folder.file(
      "graph.txt",
      "node1 -- Input0 -- forward_compute_time=0.000, backward_compute_time=0.000, "
      "activation_size=0.0, parameter_size=0.000\n"
      "node2 -- ReLU(inplace) -- forward_compute_time=1.000, backward_compute_time=2.000, "
      "activation_size=100.0, parameter_size=4.000\n\tnode1 -- node2\n");
  const std::string espresso = folder.file(
      "gaps.json", R"({"models": {"vgg": [["fc.weight", 40, 5.0], ["conv.weight", 20, 7.0]]}})");
  const std::string ddp = folder.file("buckets.json", R"({"bucket_sizes": "1048576, 26214400"})");
  for (const std::string& file : {pipedream, espresso, ddp}) {
    const Outcome outcome = run_cli({"inspect", file});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.err.find("--batch"), std::string::npos) << outcome.err;
  }
}

TEST(GivenOptions, AreListedAsASentenceDoes) {
  EXPECT_EQ(given_among({{"-a", false}, {"-b", false}}), "");
  EXPECT_EQ(given_among({{"-a", false}, {"-b", true}}), "-b");
  EXPECT_EQ(given_among({{"-a", true}, {"-b", true}, {"-c", true}}), "-a, -b and -c");
  EXPECT_EQ(input_error_of([] { refuse_given("expected -x", {{"-a", true}}); }), "-a: expected -x");
}

}  // namespace
}  // namespace stepcast
