#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace stepcast {

/// The processes of a run: one, or those that an MPI launcher started.
class ProcessTeam {
 public:
  virtual ~ProcessTeam() = default;
  virtual std::uint32_t rank() const = 0;
  virtual std::uint32_t size() const = 0;
  virtual std::uint32_t rank_on_node() const = 0;
  virtual std::uint32_t nodes() const = 0;
  virtual double largest(double value) = 0;
  virtual void barrier() = 0;
  /// Sends what rank 0 has.
  virtual void broadcast(void* data, std::size_t bytes) = 0;
  /// Whether all ranks of this node have another key.
  virtual bool all_differ_on_node(std::uint64_t key) = 0;
  /// Ends all processes, after this one has said why: the others would wait for it for ever. A team
  /// of one goes on.
  virtual void give_up(const std::string& why, int exit_code) noexcept = 0;
};

/// A team of one unless an MPI launcher started several processes. Throws HardwareError if MPI is
/// not built in then: each process would measure as if it were alone.
std::unique_ptr<ProcessTeam> make_team();

}  // namespace stepcast
