#pragma once

#include <span>
#include <string_view>

namespace stepcast::fuzz {

/// What is under test: a reader, or all from settings to a forecast. `accepts` is true if it takes
/// the input and false if it refuses it with an InputError of one line; anything else (a crash,
/// another exception, a result that breaks what the reader promises) ends the process.
struct Target {
  const char* name;  ///< Folder of its inputs under tests/fuzz/corpus.
  bool (*accepts)(std::string_view input);
};

bool accepts_architecture(std::string_view text);
bool accepts_benchmark_log(std::string_view text);
bool accepts_blocks(std::string_view text);
bool accepts_cases(std::string_view text);
bool accepts_chakra(std::string_view text);
bool accepts_chance(std::string_view text);
bool accepts_cluster(std::string_view text);
bool accepts_collectives(std::string_view text);
bool accepts_command_line(std::string_view text);
bool accepts_compression_costs(std::string_view text);
bool accepts_ddp_logging(std::string_view text);
bool accepts_device(std::string_view text);
bool accepts_espresso(std::string_view text);
bool accepts_execution_trace(std::string_view text);
bool accepts_experiment(std::string_view text);
bool accepts_faults(std::string_view text);
bool accepts_goal(std::string_view text);
bool accepts_hardware(std::string_view text);
bool accepts_horovod_timeline(std::string_view text);
bool accepts_import(std::string_view text);
bool accepts_job(std::string_view text);
bool accepts_job_timelines(std::string_view text);
bool accepts_kfac_costs(std::string_view text);
bool accepts_kineto(std::string_view text);
bool accepts_layout(std::string_view text);
bool accepts_measurements(std::string_view text);
bool accepts_operations_csv(std::string_view text);
bool accepts_order(std::string_view text);
bool accepts_pipedream(std::string_view text);
bool accepts_plan(std::string_view text);
bool accepts_results(std::string_view text);
bool accepts_resume(std::string_view text);
bool accepts_settings(std::string_view text);
bool accepts_simulate(std::string_view text);
bool accepts_transformer(std::string_view text);
bool accepts_workload(std::string_view text);

std::span<const Target> targets();

/// Throws InputError if there is none of that name.
const Target& target_of(std::string_view name);

}  // namespace stepcast::fuzz
