#pragma once

#include <coroutine>
#include <utility>

namespace stepcast {

/// A coroutine that a World runs to its end; what it throws leaves World::run().
class Actor {
 public:
  struct promise_type {
    Actor get_return_object() {
      return Actor(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { throw; }
  };

  explicit Actor(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  Actor(Actor&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Actor& operator=(Actor&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  Actor(const Actor&) = delete;
  Actor& operator=(const Actor&) = delete;
  ~Actor() {
    if (handle_)
      handle_.destroy();
  }

  std::coroutine_handle<> handle() const { return handle_; }
  bool done() const { return handle_.done(); }

 private:
  std::coroutine_handle<promise_type> handle_;
};

}  // namespace stepcast
