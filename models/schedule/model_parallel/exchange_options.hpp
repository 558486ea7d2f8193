#pragma once
// The options that say how replicas of a stage agree on gradients: those of the exchange that
// pipelines have themselves (Megatron-LM's), or those of a data-parallel schedule.

#include <vector>

#include "models/schedule/model_parallel/hybrid_job.hpp"

namespace stepcast {

/// The option that names the exchange, and its value for Megatron-LM's.
inline constexpr const char* kExchange = "exchange";
inline constexpr const char* kOwnExchange = "megatron";

/// The prefix of an exchange's option whose name is an option of the passes, too.
inline constexpr const char* kOfExchange = "exchange_";

/// Returns the options of Megatron-LM's exchange, which those of another exchange replace.
std::vector<OptionInfo> own_exchange_options();

/// Returns the option `exchange`, then own_exchange_options().
std::vector<OptionInfo> exchange_options();

/// Sets `zero` where `exchange` is zero or fsdp: both are stages of Megatron-LM's exchange.
void name_stage(ScheduleOptions& options);

/// Takes the exchange and its options into the job. Throws InputError where the job cannot use it.
void take_exchange(HybridJob& job, const Workload& model, const HybridReader& options);

/// Takes the bytes that a transformer's pass moves to add its gradients to the step's into the job.
/// For another exchange than Megatron-LM's it also adds the time to the weight gradients,
/// as data-parallel accumulation does: once for each parameter of a rank, if there are several
/// passes. (Megatron-LM's additions are part of the units' costs.)
void add_accumulation(HybridJob& job, const Workload& model, const HybridReader& options);

}  // namespace stepcast
