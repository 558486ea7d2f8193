#pragma once

#include "models/workload/transformer/measured_parts.hpp"
#include "models/workload/transformer/transformer_text.hpp"
#include "models/workload/workload.hpp"

namespace stepcast {

/// The profile of a step of nothing but equal blocks (or another part) as a row of measured parts:
/// what its layers computed, without collectives and update. `how` says what ran: the keys of a row
/// (micro_batch, seq, tp, ...), of its shape (hidden, heads, ... or model, a preset), and `blocks`,
/// how many there were. Throws InputError "--block: ..." naming the key.
MeasuredParts measured_parts_of(const Workload& profile, const KeyValues& how);

}  // namespace stepcast
