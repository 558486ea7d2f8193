#pragma once

#include <map>
#include <utility>
#include <vector>

#include "models/device/kernel_point.hpp"
#include "sim/probe/cuda/world/nccl_world.hpp"

namespace stepcast {

/// Communicators of the first so many ranks, made once: (ranks, which of several at once).
class CommunicatorCache {
 public:
  CommunicatorCache(std::vector<Member> members, ProcessTeam& team)
      : members_(std::move(members)), team_(team) {}

  const Communicator& of(std::uint32_t ranks, std::uint32_t index);
  const std::vector<Member>& members() const { return members_; }
  ProcessTeam& team() const { return team_; }

 private:
  std::vector<Member> members_;
  ProcessTeam& team_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Communicator> made_;
};

}  // namespace stepcast
