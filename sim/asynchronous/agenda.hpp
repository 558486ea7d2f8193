#pragma once

#include <coroutine>
#include <cstdint>
#include <type_traits>

#include "models/base/units.hpp"
#include "sim/engine/event_queue.hpp"
#include "sim/engine/instants.hpp"

namespace stepcast {

/// Something to do: `run(target, value)`.
struct AgendaEntry {
  void (*run)(void* target, std::uint64_t value) = nullptr;
  void* target = nullptr;
  std::uint64_t value = 0;
};

/// Calls a member function of `target`, with `value` if it takes one: entry_of<&Hop::check>(this).
template <auto Method, class Target>
AgendaEntry entry_of(Target* target, std::uint64_t value = 0) {
  return {[](void* self, [[maybe_unused]] std::uint64_t number) {
            auto& object = *static_cast<Target*>(self);
            if constexpr (std::is_invocable_v<decltype(Method), Target&>)
              (object.*Method)();
            else
              (object.*Method)(number);
          },
          target, value};
}

/// The agenda of a protocol, in the total order (time, order of posting): on a clock of its own, or
/// on the engine's queue where SimGrid moves the bytes. An entry costs some 50 ns on its own clock.
class Agenda {
 public:
  explicit Agenda(EventQueue* shared = nullptr) : shared_(shared) {}

  Seconds now() const { return shared_ ? shared_->now() : now_; }
  void after(Seconds delay, AgendaEntry entry) { at(now() + delay, entry); }
  void at(Seconds time, AgendaEntry entry);
  void resume_at(Seconds time, std::coroutine_handle<> actor);

  /// Until nothing is left or stop(). `after_each` is called after every entry, if there is one.
  void run();
  void stop() { stopped_ = true; }
  bool stopped() const { return stopped_; }
  void check_with(AgendaEntry after_each) { after_each_ = after_each; }
  std::uint64_t count() const { return done_; }  ///< Entries done.

 private:
  void perform(const AgendaEntry& entry);

  EventQueue* shared_;
  Seconds now_{};
  std::uint64_t done_ = 0;
  InstantLists<AgendaEntry> due_;
  AgendaEntry after_each_{};
  bool stopped_ = false;
};

}  // namespace stepcast
