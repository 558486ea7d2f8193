#pragma once

#include "sim/probe/cuda/world/team.hpp"

namespace stepcast {

/// One process.
class SoloTeam final : public ProcessTeam {
 public:
  std::uint32_t rank() const override { return 0; }
  std::uint32_t size() const override { return 1; }
  std::uint32_t rank_on_node() const override { return 0; }
  std::uint32_t nodes() const override { return 1; }
  double largest(double value) override { return value; }
  void barrier() override {}
  void broadcast(void* /*data*/, std::size_t /*bytes*/) override {}
  bool all_differ_on_node(std::uint64_t /*key*/) override { return true; }
  void give_up(const std::string& /*why*/, int /*exit_code*/) noexcept override {}
};

}  // namespace stepcast
