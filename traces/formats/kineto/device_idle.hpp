#pragma once

#include <vector>

#include "traces/formats/kineto/device_work.hpp"

namespace stepcast {

/// Why the device computed nothing for a while.
struct IdleTime {
  Seconds host{};        ///< The host came late with the next work.
  Seconds collective{};  ///< The next work, or the host, waited for a collective.
  Seconds pause{};       ///< The next work was launched already: the device's own way to it.

  /// What no schedule of communication brings back: a collective's own waits it adds itself.
  Seconds without_collectives() const { return host + pause; }
};

struct DeviceIdle {
  /// Within the step of each piece of KinetoView::work, before it; zero of collectives.
  std::vector<IdleTime> before;
  std::vector<IdleTime> behind;  ///< From the last work of a step without neighbours to its end.
};

/// The time of the device's steps in which no stream computed, told apart by what ended it.
///
/// A stretch before a piece of work ends when the last of two things has happened: the host has
/// launched the work, and a collective that it waits for has ended. The one that came last was
/// waited for. If that was a collective (it ended between launch and start), or if the host was in
/// a synchronising call in which a collective ended before it launched the work, what collectives
/// cover of the stretch is a wait for them; all else is the host's. So idle time beside a
/// collective is the host's where the work was launched only after it. Where the work had been
/// launched before the stretch, or its launch was not recorded, what collectives cover is theirs
/// and the rest a pause. Behind the last work of a step without neighbours the same holds for its
/// end. Steps are the device's own; time outside of them and in steps without work is in none.
DeviceIdle find_idle(const KinetoTrace& trace, const KinetoView& view);

}  // namespace stepcast
