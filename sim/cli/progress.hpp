#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace stepcast {

/// Work that a command is at, and how much of it is done: what stderr is told while the command
/// takes long (see Heartbeat). Of several alive the one made last is told of.
class Progress {
 public:
  /// `total` 0: how much there will be is not known.
  explicit Progress(std::string what, std::size_t total = 0);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void step();

 private:
  friend class Heartbeat;
  std::string text() const;

  std::string what_;
  std::size_t total_;
  std::size_t done_ = 0;
};

/// Says on stderr that a command is still at work. Without a terminal (a log, a pipe): a line after
/// two seconds and every ten seconds from then on. On a terminal: one line that is written anew in
/// every second after the first, and is gone with the Progress that it tells of.
class Heartbeat {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// The world outside, which tests replace.
  struct World {
    bool has_terminal = false;
    std::function<Time()> now;
    std::function<void(std::string_view)> write;
  };

  Heartbeat(std::string command, World world);
  ~Heartbeat();
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;

  /// Writes if something is due; to be called at least once a second.
  void beat();

 private:
  friend class Progress;
  void show(std::chrono::seconds elapsed);
  void clear();

  std::string command_;
  World world_;
  Time begin_;
  Time due_;
  bool shown_ = false;
  Heartbeat* outer_;  ///< Of the command that runs this one; beats again afterwards.
};

/// A heartbeat on the real stderr, from a thread of its own, for as long as this lives. Forked
/// workers have no such thread; they must make and step no Progress.
class BeatingHeart {
 public:
  explicit BeatingHeart(std::string command);
  ~BeatingHeart();
  BeatingHeart(const BeatingHeart&) = delete;
  BeatingHeart& operator=(const BeatingHeart&) = delete;

 private:
  void beat_until_end();

  Heartbeat heartbeat_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool end_ = false;
  std::thread thread_;
};

}  // namespace stepcast
