#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "models/schedule/builder.hpp"

namespace stepcast {

/// A Builder as a schedule that is written in Python sees it, while its plan is being written: its
/// verbs, with every number checked, as the Builder trusts its callers. Afterwards it is closed,
/// and every verb throws InputError.
class OpenBuilder {
 public:
  OpenBuilder(Builder& builder, std::string schedule)
      : builder_(&builder), schedule_(std::move(schedule)) {}

  void close() { builder_ = nullptr; }
  Builder& open();
  const std::string& schedule() const { return schedule_; }

  /// Time and size as Python gives them: "5ms", "25MiB", or a number of seconds or bytes.
  Seconds time(const pybind11::object& value, const char* what) const;
  Bytes size(const pybind11::object& value, const char* what) const;

  using Ids = std::vector<std::int64_t>;
  std::uint32_t layer(std::int64_t layer);
  std::uint32_t task(std::int64_t task) const { return id(task, tasks_, "task"); }
  std::vector<TaskId> tasks(const Ids& ids) const;
  std::uint32_t stream(std::int64_t stream) const { return id(stream, streams_, "stream"); }
  std::uint32_t team(std::int64_t team) const;
  std::uint32_t team_size(std::uint32_t team) const;
  /// Of 32 bits, from `least` on.
  std::uint32_t count(std::int64_t value, std::int64_t least, const char* what) const;

  TaskId added(TaskId task);
  StreamId added_stream(StreamId stream);
  TeamId added_team(TeamId team, std::uint32_t group_size);

  [[noreturn]] void fail(const std::string& why) const;

 private:
  std::uint32_t id(std::int64_t value, std::size_t end, const char* what) const;

  Builder* builder_;
  std::string schedule_;
  std::size_t tasks_ = 0;
  std::size_t streams_ = 1;
  std::vector<std::uint32_t> group_sizes_{};  ///< Of the teams after the first.
};

}  // namespace stepcast
