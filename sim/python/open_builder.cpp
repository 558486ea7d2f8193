#include "sim/python/open_builder.hpp"

#include <cmath>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"

namespace stepcast {

namespace py = pybind11;

namespace {

double number_of(const py::object& value) {
  const double number = PyFloat_AsDouble(value.ptr());
  if (PyErr_Occurred() == nullptr)
    return number;
  PyErr_Clear();
  return std::nan("");
}

}  // namespace

Builder& OpenBuilder::open() {
  if (builder_ == nullptr)
    fail("its plan is built already; verbs belong into the function of the schedule");
  return *builder_;
}

Seconds OpenBuilder::time(const py::object& value, const char* what) const try {
  if (py::isinstance<py::str>(value))
    return parse_seconds(value.cast<std::string>());
  const double seconds = number_of(value);
  if (!(seconds >= 0) || std::isinf(seconds))
    throw InputError(fmt::format("expected a time such as \"2us\" or seconds from 0 on, found {}",
                                 in_quotes(py::str(value).cast<std::string>())));
  return {seconds};
} catch (const InputError& error) {
  fail(fmt::format("{}: {}", what, error.what()));
}

Bytes OpenBuilder::size(const py::object& value, const char* what) const try {
  if (py::isinstance<py::str>(value))
    return parse_bytes(value.cast<std::string>());
  const double bytes = number_of(value);
  if (!(bytes >= 0) || std::isinf(bytes))
    throw InputError(fmt::format("expected a size such as \"25MiB\" or bytes from 0 on, found {}",
                                 in_quotes(py::str(value).cast<std::string>())));
  return {bytes};
} catch (const InputError& error) {
  fail(fmt::format("{}: {}", what, error.what()));
}

std::uint32_t OpenBuilder::layer(std::int64_t layer) {
  return id(layer, open().workload().layers.size(), "layer");
}

std::vector<TaskId> OpenBuilder::tasks(const Ids& ids) const {
  std::vector<TaskId> tasks;
  tasks.reserve(ids.size());
  for (const std::int64_t each : ids)
    tasks.push_back(task(each));
  return tasks;
}

std::uint32_t OpenBuilder::team(std::int64_t team) const {
  return id(team, group_sizes_.size() + 1, "team");
}

std::uint32_t OpenBuilder::team_size(std::uint32_t team) const {
  return team == 0 ? builder_->cluster().ranks() : group_sizes_[team - 1];
}

std::uint32_t OpenBuilder::count(std::int64_t value, std::int64_t least, const char* what) const {
  constexpr std::int64_t kMost = 1'000'000'000;
  if (value < least || value > kMost)
    fail(fmt::format("{}: expected a whole number from {} to {}, found {}", what, least, kMost,
                     value));
  return static_cast<std::uint32_t>(value);
}

TaskId OpenBuilder::added(TaskId task) {
  tasks_ = std::size_t{task} + 1;
  return task;
}

StreamId OpenBuilder::added_stream(StreamId stream) {
  streams_ = std::size_t{stream} + 1;
  return stream;
}

TeamId OpenBuilder::added_team(TeamId team, std::uint32_t group_size) {
  group_sizes_.push_back(group_size);
  return team;
}

void OpenBuilder::fail(const std::string& why) const {
  throw InputError(fmt::format("schedule {}: {}", schedule_, why));
}

std::uint32_t OpenBuilder::id(std::int64_t value, std::size_t end, const char* what) const {
  if (value < 0 || static_cast<std::uint64_t>(value) >= end)
    fail(fmt::format("there is no {} {}{}", what, value,
                     end == 0 ? "" : fmt::format("; the last is {}", end - 1)));
  return static_cast<std::uint32_t>(value);
}

}  // namespace stepcast
