#include "sim/python/one_call.hpp"

#include <atomic>
#include <chrono>
#include <csignal>
#include <mutex>
#include <new>
#include <stdexcept>

#include <pthread.h>
#include <pybind11/pybind11.h>

#include "sim/engine/interruption.hpp"
#include "sim/workers/stop.hpp"

namespace stepcast {
namespace {

namespace py = pybind11;
using namespace std::chrono_literals;

/// Constructed anew in a forked process, where nobody would ever unlock it.
alignas(std::timed_mutex) unsigned char turn_memory[sizeof(std::timed_mutex)];
std::timed_mutex& turn = *new (turn_memory) std::timed_mutex;

std::atomic<bool> busy = false;
std::atomic<bool> broken = false;  // forked while another thread was in a call
std::atomic<bool> workers_call_python = false;
thread_local bool in_call = false;
thread_local PyGILState_STATE state_before_fork;

struct sigaction before {};

extern "C" void on_interrupt(int signal) {
  interrupt();
  ask_to_stop(signal);
  before.sa_handler(signal);  // Python's, which takes note for the interpreter
}

bool is_main_thread() {
  const py::module_ threading = py::module_::import("threading");
  return threading.attr("current_thread")().is(threading.attr("main_thread")());
}

/// Python's own handler must be there: who ignores SIGINT, or has a handler outside of Python,
/// keeps what he has.
bool take_signals() {
  if (!is_main_thread() || ::sigaction(SIGINT, nullptr, &before) != 0 ||
      (before.sa_flags & SA_SIGINFO) != 0 || before.sa_handler == SIG_DFL ||
      before.sa_handler == SIG_IGN)
    return false;
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  return ::sigaction(SIGINT, &action, nullptr) == 0;
}

void wait_for_turn() {
  for (;;) {
    {
      const py::gil_scoped_release released;
      if (turn.try_lock_for(100ms))
        return;
    }
    if (PyErr_CheckSignals() != 0)
      throw py::error_already_set();
  }
}

void before_fork() {
  if (!in_call || !workers_call_python)
    return;
  state_before_fork = PyGILState_Ensure();
  PyOS_BeforeFork();
}

void after_fork_in_parent() {
  if (!in_call || !workers_call_python)
    return;
  PyOS_AfterFork_Parent();
  PyGILState_Release(state_before_fork);
}

void after_fork_in_child() {
  if (in_call && workers_call_python) {
    PyOS_AfterFork_Child();
    PyGILState_Release(state_before_fork);
  }
  if (in_call)
    return;
  broken = broken || busy;
  busy = false;
  new (turn_memory) std::timed_mutex;
}

}  // namespace

OneCall::OneCall() {
  if (broken)
    throw std::runtime_error(
        "this process was forked while another thread was forecasting; start it by \"spawn\"");
  if (in_call)
    throw std::runtime_error("a schedule cannot forecast while its plan is built");
  wait_for_turn();
  in_call = busy = true;
  forget_interruption();
  handles_signals_ = take_signals();
}

OneCall::~OneCall() {
  if (handles_signals_)
    ::sigaction(SIGINT, &before, nullptr);
  forget_interruption();
  in_call = false;
  busy = false;
  turn.unlock();
}

void prepare_for_forks() {
  ::pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

void let_workers_call_python() {
  workers_call_python = true;
}

}  // namespace stepcast
