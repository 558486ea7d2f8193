#pragma once

#include <string>

#include "models/schedule/builder.hpp"

namespace stepcast {

/// The Builder's verb for a kind of collective that is known at run time only.
TaskId communicate(Builder& builder, CollectiveKind kind, const std::string& label, Bytes size,
                   const CommunicationOptions& options);

}  // namespace stepcast
