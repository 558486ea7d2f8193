#pragma once

#include <stdexcept>

namespace stepcast {

/// Somebody asked for the end of a simulation before it was done.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted") {}
};

/// Asks the simulation that runs, or the next one, to end: its caller gets an Interrupted. May be
/// called by a signal handler. Programs that end the process at a signal need none of it.
void interrupt() noexcept;

/// Nobody has asked, from here on.
void forget_interruption() noexcept;

/// Throws Interrupted if somebody has asked.
void check_interruption();

}  // namespace stepcast
