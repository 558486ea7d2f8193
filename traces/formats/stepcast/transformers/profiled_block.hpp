#pragma once

#include <string>
#include <vector>

#include "models/workload/transformer/measured_parts.hpp"
#include "models/workload/transformer/transformer_text.hpp"
#include "models/workload/workload.hpp"
#include "traces/formats/megatron/timers.hpp"

namespace stepcast {

/// The profile of a step of nothing but equal blocks (or another part) as a row of measured parts:
/// what its layers computed, without collectives and update. `how` says what ran: the keys of a row
/// (micro_batch, seq, tp, ...), of its shape (hidden, heads, ... or model, a preset), `blocks`, how
/// many there were, and `micro_batches`, how often they ran. Throws InputError "--block: ..."
/// naming the key.
MeasuredParts measured_parts_of(const Workload& profile, const KeyValues& how);

/// The same from logs of Megatron-LM's timers, which hold the messages inside layers: from one log,
/// in which embedding and head count as if blocks took their time, or two of as many micro-batches,
/// whose difference is of blocks alone (`blocks=24-2`). `how` has to say `micro_batches`: how many
/// a rank runs in a step.
MeasuredParts measured_parts_of(const std::vector<MegatronTimers>& logs, const std::string& device,
                                const Provenance& provenance, const KeyValues& how);

}  // namespace stepcast
