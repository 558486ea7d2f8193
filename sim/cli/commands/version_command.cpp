#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sim/cli/built_commit.hpp"
#include "sim/cli/subcommand.hpp"
#include "sim/cli/tell.hpp"
#include "sim/engine/network/simgrid.hpp"

namespace stepcast {
namespace {

/// What a report of a fault should say.
class VersionCommand final : public Subcommand {
 public:
  CommandHelp help() const override {
    return {.description = "A commit that ends in -dirty had changes that were not committed.",
            .examples = {"stepcast version", "stepcast version --json"}};
  }

  std::vector<CommandOption> options() override { return {{"--json", "", &json_, "print JSON"}}; }

  int run() override {
    const std::string commit = built_commit();
    const std::string simgrid = version_in_words(simgrid_module().version());
    const nlohmann::ordered_json json{
        {"version", STEPCAST_VERSION}, {"commit", commit}, {"simgrid_version", simgrid}};
    if (json_)
      say("{}\n", json.dump(2));
    else
      say("stepcast {} ({}, SimGrid {})\n", STEPCAST_VERSION,
          commit.empty() ? "commit unknown" : "commit " + commit, simgrid);
    return 0;
  }

 private:
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> make_version_command() {
  return std::make_unique<VersionCommand>();
}

}  // namespace stepcast
