#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace stepcast {

/// The processes of a run: one, or those that an MPI launcher started.
class Team {
 public:
  virtual ~Team() = default;
  virtual std::uint32_t rank() const = 0;
  virtual std::uint32_t size() const = 0;
  virtual std::uint32_t rank_on_node() const = 0;
  virtual std::uint32_t nodes() const = 0;
  virtual double largest(double value) = 0;
  virtual void barrier() = 0;
  /// Sends what rank 0 has.
  virtual void broadcast(void* data, std::size_t bytes) = 0;
  /// All ranks know that the run ends with an error; else an error of one rank ends them all.
  virtual void stop_together() = 0;
};

/// A team of one unless an MPI launcher started this process and MPI is built in.
std::unique_ptr<Team> make_team();

}  // namespace stepcast
