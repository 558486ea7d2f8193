#include "sim/cli/subcommand.hpp"

namespace stepcast {

std::vector<std::unique_ptr<Subcommand>> all_subcommands() {
  std::vector<std::unique_ptr<Subcommand>> commands;
  for (auto make : {make_run_command,       make_compare_command,    make_tune_command,
                    make_crossover_command, make_demo_command,       make_list_command,
                    make_show_command,      make_breakdown_command,  make_scaling_command,
                    make_plan_command,      make_solve_command,      make_goodput_command,
                    make_explain_command,   make_collective_command, make_validate_command,
                    make_gate_command,      make_report_command,     make_derive_command,
                    make_import_command,    make_inspect_command,    make_diagnose_command,
                    make_optimise_command,  make_replay_command,     make_calibrate_command,
                    make_merge_command,     make_schema_command,     make_help_command,
                    make_version_command})
    commands.push_back(make());
  return commands;
}

}  // namespace stepcast
