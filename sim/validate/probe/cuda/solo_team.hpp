#pragma once

#include "sim/validate/probe/cuda/team.hpp"

namespace stepcast {

/// One process.
class SoloTeam final : public Team {
 public:
  std::uint32_t rank() const override { return 0; }
  std::uint32_t size() const override { return 1; }
  std::uint32_t rank_on_node() const override { return 0; }
  std::uint32_t nodes() const override { return 1; }
  double largest(double value) override { return value; }
  void barrier() override {}
  void broadcast(void* /*data*/, std::size_t /*bytes*/) override {}
  void stop_together() override {}
};

}  // namespace stepcast
