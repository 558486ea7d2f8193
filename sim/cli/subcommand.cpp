#include "sim/cli/subcommand.hpp"

namespace stepcast {
namespace {

struct Listed {
  const char* name;
  const char* summary;
  std::unique_ptr<Subcommand> (*make)();
};

constexpr Listed kCommands[] = {
    {"run", "Forecast one schedule: step time, where it goes, and why", make_run_command},
    {"compare", "Forecast several schedules of one job, side by side", make_compare_command},
    {"tune", "Find the best value of a numeric option, such as the fusion buffer",
     make_tune_command},
    {"list", "List workloads, clusters, schedules and all else that has a name", make_list_command},
    {"show", "Show a workload, cluster, schedule or anything that list names", make_show_command},
    {"plan", "What to buy or rent: clusters, sizes, layouts, schedules searched",
     make_plan_command},
    {"goodput", "Faults and checkpoints: how much of a long run stays done", make_goodput_command},
    {"explain", "Define a column, row or JSON key of the reports", make_explain_command},
    {"collective", "Time of a collective by itself, as nccl-tests prints it",
     make_collective_command},
    {"validate", "Compare predictions with measured iteration times", make_validate_command},
    {"gate", "Compare results with those of before; exit 4 if a case got slower",
     make_gate_command},
    {"report", "Write a page of pictures and tables from a result", make_report_command},
    {"derive", "Derive a workload from a step time or shapes, or a cluster from another",
     make_derive_command},
    {"import", "Convert a measured trace into a workload", make_import_command},
    {"inspect", "Say what a measured trace holds", make_inspect_command},
    {"diagnose", "Say what holds up a job, from the traces of its ranks", make_diagnose_command},
    {"optimise", "Edit a step, recorded or planned, so that it gets shorter",
     make_optimise_command},
    {"replay", "Replay a profiler trace, as recorded and with changes", make_replay_command},
    {"calibrate", "Turn logs of network benchmarks into measured collectives",
     make_calibrate_command},
    {"merge", "Put together a comparison that was done in shards, on any machines",
     make_merge_command},
    {"schema", "Print the JSON Schema (draft-07) of a file format or of a command's --json",
     make_schema_command},
    {"help", "Print the commands, or the help of one", make_help_command},
    {"version", "Print the version, the commit it was built from and SimGrid's version",
     make_version_command}};

}  // namespace

std::vector<std::unique_ptr<Subcommand>> all_subcommands() {
  std::vector<std::unique_ptr<Subcommand>> commands;
  for (const auto& [name, summary, make] : kCommands) {
    commands.push_back(make());
    commands.back()->listed = {name, summary};
  }
  return commands;
}

}  // namespace stepcast
