#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace stepcast {

/// Cores that this process may use.
std::uint32_t available_cores();

/// Results of jobs 0 .. count - 1, in this order whoever does which. `workers` forked processes
/// take jobs, in order, as they get free: a result must depend on nothing but its number, then it
/// is the same for any number of workers. `finished` is called in this process after every job.
///
/// If jobs fail, throws what the first of them threw, by number: the same error for any number of
/// workers. InputError and SimulationError keep their type, others become std::runtime_error.
/// Throws std::runtime_error if a process dies.
std::vector<std::string> run_on_workers(std::uint32_t count, std::uint32_t workers,
                                        const std::function<std::string(std::uint32_t)>& job,
                                        const std::function<void()>& finished);

}  // namespace stepcast
