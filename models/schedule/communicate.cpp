#include "models/schedule/communicate.hpp"

namespace stepcast {

TaskId communicate(Builder& builder, CollectiveKind kind, const std::string& label, Bytes size,
                   const CommunicationOptions& options) {
  switch (kind) {
    case CollectiveKind::AllReduce:
      return builder.all_reduce(label, size, options);
    case CollectiveKind::ReduceScatter:
      return builder.reduce_scatter(label, size, options);
    case CollectiveKind::AllGather:
      return builder.all_gather(label, size, options);
    case CollectiveKind::AllToAll:
      return builder.all_to_all(label, size, options);
    case CollectiveKind::Broadcast:
      return builder.broadcast(label, size, options);
    case CollectiveKind::Reduce:
      return builder.reduce(label, size, options);
    case CollectiveKind::Send:
      return builder.send(label, size, options);
  }
  return kNone;
}

}  // namespace stepcast
