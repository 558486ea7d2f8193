#pragma once
// A process of its own for every simulation that needs SimGrid.
//
// SimGrid has one engine and one clock in a process, and nothing in its interface sets the clock
// back. Where the clock stands shows in the last bits of what is simulated, so that a second
// simulation in the process would depend on the first. Therefore the process forks when a
// simulation asks for SimGrid: the child goes on with it, from the event in hand, makes the only
// engine of its life, hands the result over through a pipe and ends. The parent never makes an
// engine. A simulation that does not ask for SimGrid costs nothing. The others take 2 to 3 ms more:
// the fork and the page faults that follow it, 2 ms for each 100 MB that the process holds, and the
// engine with its platform, .5 ms for 64 GPUs.

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <type_traits>

#include <sys/types.h>

#include "models/base/error.hpp"
#include "sim/workers/simulation_killed.hpp"

namespace stepcast {

/// One end of the pipe between the two processes. Both name the same values in the same order: the
/// child's end writes them, the parent's end reads into them.
class ResultPipe {
 public:
  enum class Direction { Write, Read };

  ResultPipe(int descriptor, Direction direction) : pipe_(descriptor), direction_(direction) {}

  template <class T>
  requires std::is_trivially_copyable_v<T>
  void pass(T& value) { pass_bytes(&value, sizeof value); }

  /// A vector or a string.
  template <class List>
  requires requires(List& list) { list.resize(list.size()); }
  void pass(List& list) {
    using Item = typename List::value_type;
    std::uint64_t size = list.size();
    pass(size);
    list.resize(size);
    if constexpr (std::is_trivially_copyable_v<Item>)
      pass_bytes(list.data(), size * sizeof(Item));
    else
      for (Item& item : list)
        pass(item);
  }

  /// Writes out what is buffered.
  void flush();

 private:
  void pass_bytes(void* data, std::size_t size);
  void write(const char* data, std::size_t size);
  void read(char* data, std::size_t size);
  std::size_t read_some(char* data, std::size_t size);

  // The pipe needs no memory of the heap, of which there may be none left.
  static constexpr std::size_t kBuffer = 16384;

  int pipe_;
  Direction direction_;
  std::array<char, kBuffer> buffer_;
  std::size_t filled_ = 0;
  std::size_t taken_ = 0;  // at the read end: bytes of the buffer that were handed out
};

/// Thrown in the parent at the place where the child goes on.
struct ContinuesInChild {};

/// The simulation that runs in this thread. Only for simulate_alone().
class SimulationProcess {
 public:
  SimulationProcess();
  /// Ends a child that has not ended.
  ~SimulationProcess();
  SimulationProcess(const SimulationProcess&) = delete;
  SimulationProcess& operator=(const SimulationProcess&) = delete;

  /// Forks if this process is not the simulation's own yet: returns in the child, and throws
  /// ContinuesInChild in the parent. Throws SimulationError if the process cannot fork.
  static void enter();

  bool is_child() const { return is_child_; }

  using PassResult = std::function<void(ResultPipe&)>;

  // In the child, which ends with them.
  [[noreturn]] void hand_over(const PassResult& pass_result);
  [[noreturn]] void hand_over_failure(const std::exception_ptr& failure);

  /// In the parent: waits for the child's result. Throws what the simulation threw there, and
  /// SimulationKilled if a signal ended the child. A signal that the parent gets as well (Ctrl-C)
  /// ends both; the limit of processor time does what processor_time_is_up() says.
  void receive(const PassResult& pass_result);

 private:
  void fork();
  [[noreturn]] void throw_end_of_child();

  bool is_child_ = false;
  pid_t child_ = -1;
  int pipe_ = -1;
};

/// What pass() does for values that are nothing but bytes, and lists of them. The others have an
/// overload beside their definition, or beside the simulation that yields them.
template <class T>
requires requires(ResultPipe& pipe, T& value) {
  pipe.pass(value);
}
void pass(ResultPipe& pipe, T& value) {
  pipe.pass(value);
}

/// The result of `simulate`, which may ask for SimGrid: then it is called in a process of its own
/// from there on. What else it changes in memory is lost. Not within another one.
template <std::invocable Simulate>
auto simulate_alone(Simulate simulate) {
  using Result = std::invoke_result_t<Simulate>;
  SimulationProcess process;
  Result result{};
  try {
    result = simulate();
  } catch (const ContinuesInChild&) {
    process.receive([&result](ResultPipe& pipe) { pass(pipe, result); });
    return result;
  } catch (...) {
    if (process.is_child())
      process.hand_over_failure(std::current_exception());
    throw;
  }
  if (process.is_child())
    process.hand_over([&result](ResultPipe& pipe) { pass(pipe, result); });
  return result;
}

}  // namespace stepcast
