#pragma once

#include <cstddef>
#include <cstring>
#include <type_traits>

namespace stepcast {

/// What an event does: a call of four words at most that needs no destructor, held in place. A
/// simulation posts millions of them.
class Action {
 public:
  template <typename Call>
  Action(const Call& call)  // NOLINT(google-explicit-constructor): a lambda is an action
      : perform_([](const void* held) { (*static_cast<const Call*>(held))(); }) {
    static_assert(sizeof(Call) <= sizeof held_ && std::is_trivially_copyable_v<Call>,
                  "captures of 32 bytes at most, without a destructor");
    std::memcpy(held_, &call, sizeof call);
  }

  void operator()() const { perform_(held_); }

 private:
  void (*perform_)(const void* held);
  alignas(void*) std::byte held_[32];
};

}  // namespace stepcast
