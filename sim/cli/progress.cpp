#include "sim/cli/progress.hpp"

#include <csignal>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "sim/cli/tell.hpp"

namespace stepcast {
namespace {

using namespace std::chrono_literals;

constexpr auto kFirstOnTerminal = 1s;
constexpr auto kFirstInLog = 2s;
constexpr auto kNextOnTerminal = 1s;
constexpr auto kNextInLog = 10s;

/// A process has one stderr, hence one of these: all Progress alive, the last made last, and who
/// tells of them. The thread that beats reads what the thread that works writes.
struct Board {
  std::mutex mutex;
  std::vector<Progress*> at_work;
  Heartbeat* heartbeat = nullptr;
};

Board& board() {
  static Board board;
  return board;
}

Heartbeat::World real_world() {
  return {.has_terminal = ::isatty(STDERR_FILENO) != 0,
          .now = std::chrono::steady_clock::now,
          .write = tell_text};
}

/// Signals are for the thread that works.
std::thread without_signals(std::function<void()> work) {
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread(std::move(work));
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace

Progress::Progress(std::string what, std::size_t total) : what_(std::move(what)), total_(total) {
  const std::lock_guard lock(board().mutex);
  board().at_work.push_back(this);
}

Progress::~Progress() {
  const std::lock_guard lock(board().mutex);
  std::erase(board().at_work, this);
  if (board().heartbeat != nullptr)
    board().heartbeat->clear();
}

void Progress::step() {
  const std::lock_guard lock(board().mutex);
  ++done_;
}

std::string Progress::text() const {
  if (total_ > 0)
    return fmt::format("{} {}/{}", what_, done_, total_);
  return done_ > 0 ? fmt::format("{} {}", what_, done_) : what_;
}

Heartbeat::Heartbeat(std::string command, World world)
    : command_(std::move(command)), world_(std::move(world)), begin_(world_.now()) {
  due_ = begin_ + (world_.has_terminal ? kFirstOnTerminal : kFirstInLog);
  const std::lock_guard lock(board().mutex);
  outer_ = std::exchange(board().heartbeat, this);
}

Heartbeat::~Heartbeat() {
  const std::lock_guard lock(board().mutex);
  board().heartbeat = outer_;
}

void Heartbeat::beat() {
  const std::lock_guard lock(board().mutex);
  const Time now = world_.now();
  if (now < due_)
    return;
  due_ = now + (world_.has_terminal ? kNextOnTerminal : kNextInLog);
  show(std::chrono::duration_cast<std::chrono::seconds>(now - begin_));
}

/// On a terminal only while a Progress is alive: afterwards the result is printed there.
void Heartbeat::show(std::chrono::seconds elapsed) {
  const std::vector<Progress*>& at_work = board().at_work;
  if (world_.has_terminal && at_work.empty())
    return;
  const std::string text =
      fmt::format("{}: {} s{}", command_, elapsed.count(),
                  at_work.empty() ? "" : fmt::format(", {}", at_work.back()->text()));
  shown_ = world_.has_terminal;
  world_.write(world_.has_terminal ? fmt::format("\r{:<79.79}", text) : text + "\n");
}

void Heartbeat::clear() {
  if (std::exchange(shown_, false))
    world_.write(fmt::format("\r{:<79}\r", ""));
}

BeatingHeart::BeatingHeart(std::string command)
    : heartbeat_(std::move(command), real_world()),
      thread_(without_signals([this] { beat_until_end(); })) {}

BeatingHeart::~BeatingHeart() {
  {
    const std::lock_guard lock(mutex_);
    end_ = true;
  }
  ended_.notify_one();
  thread_.join();
}

void BeatingHeart::beat_until_end() {
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, 500ms, [this] { return end_; }))
    heartbeat_.beat();
}

}  // namespace stepcast
