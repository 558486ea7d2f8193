#include "sim/python/builder_verbs.hpp"

#include <fmt/format.h>

#include "models/base/text.hpp"
#include "models/schedule/passes.hpp"
#include "sim/python/module.hpp"

// The verbs of the Builder as Python calls them, but for those of communication.

namespace stepcast {
namespace {

namespace py = pybind11;
using Ids = OpenBuilder::Ids;

void add_compute(BuilderClass& builder) {
  builder.def(
      "forward",
      [](OpenBuilder& self, std::int64_t layer, const Ids& after) {
        return self.added(self.open().forward(self.layer(layer), self.tasks(after)));
      },
      py::arg("layer"), py::arg("after") = Ids{});
  builder.def(
      "backward",
      [](OpenBuilder& self, std::int64_t layer, const Ids& after) {
        return self.added(self.open().backward(self.layer(layer), self.tasks(after)));
      },
      py::arg("layer"), py::arg("after") = Ids{});
  builder.def(
      "update",
      [](OpenBuilder& self, std::string label, const Ids& after, double share) {
        if (!(share >= 0 && share <= 1))
          self.fail(fmt::format("share: expected a part from 0 to 1, found {}", share));
        return self.added(self.open().update(std::move(label), self.tasks(after), share));
      },
      py::arg("label") = "update", py::arg("after") = Ids{}, py::arg("share") = 1.0);
  builder.def(
      "compute",
      [](OpenBuilder& self, std::string label, const py::object& time, const std::string& phase,
         std::int64_t stream, std::int64_t team, const Ids& after, bool on_host) {
        const ComputeOptions options{.phase = phase,
                                     .team = self.team(team),
                                     .stream = self.stream(stream),
                                     .after = self.tasks(after),
                                     .on_host = on_host};
        const Seconds duration = self.time(time, "time");
        return self.added(self.open().compute(std::move(label), duration, options));
      },
      py::arg("label"), py::arg("time"), py::arg("phase") = "", py::arg("stream") = 0,
      py::arg("team") = 0, py::arg("after") = Ids{}, py::arg("on_host") = false);
}

void add_order(BuilderClass& builder) {
  builder.def("after", [](OpenBuilder& self, std::int64_t task, const Ids& earlier) {
    self.open().after(self.task(task), std::span<const TaskId>(self.tasks(earlier)));
  });
  builder.def("next_after", [](OpenBuilder& self, std::int64_t task, const Ids& before) {
    self.open().next_after(self.task(task), std::span<const TaskId>(self.tasks(before)));
  });
  builder.def("later_after", [](OpenBuilder& self, std::int64_t task, std::int64_t earlier,
                                std::int64_t iterations) {
    self.open().later_after(self.task(task), self.task(earlier),
                            self.count(iterations, 0, "iterations"));
  });
  builder.def("needs", [](OpenBuilder& self, std::int64_t task, std::int64_t count) {
    self.open().needs(self.task(task), self.count(count, 1, "count"));
  });
  builder.def("end_step", [](OpenBuilder& self) { self.open().end_step(); });
  builder.def("passes", [](OpenBuilder& self, std::int64_t count) {
    self.open().passes(self.count(count, 1, "passes"));
  });
  builder.def("note", [](OpenBuilder& self, std::string sentence) {
    self.open().note({NoteKind::Scope, "schedule", std::move(sentence)});
  });
}

StreamId add_stream(OpenBuilder& self, std::string name, const std::string& rule,
                    const py::object& credit, std::int64_t at_once, const py::object& cycle,
                    const py::object& per_cycle, const py::object& per_tensor,
                    const py::object& fusion) {
  DispatchRule how = InOrder{};
  if (rule == "priority")
    how = ByPriority{.credit = self.size(credit, "credit"),
                     .at_once = self.count(at_once, 0, "at_once")};
  else if (rule == "negotiated")
    how = Negotiated{.cycle = self.time(cycle, "cycle"),
                     .per_cycle = self.time(per_cycle, "per_cycle"),
                     .per_tensor = self.time(per_tensor, "per_tensor"),
                     .fusion = self.size(fusion, "fusion")};
  else if (rule != "in-order")
    self.fail(fmt::format("stream {}: expected the rule in-order, priority or negotiated, found {}",
                          in_quotes(name), in_quotes(rule)));
  if (const auto* told = std::get_if<Negotiated>(&how); told && !(told->cycle > Seconds{}))
    self.fail("cycle: expected a time above 0");
  return self.added_stream(self.open().stream(std::move(name), how));
}

TeamId add_team(OpenBuilder& self, const std::vector<std::vector<std::int64_t>>& groups) {
  Team team;
  const std::uint32_t ranks = self.open().cluster().ranks();
  for (const auto& group : groups) {
    Group listed;
    for (const std::int64_t rank : group) {
      if (rank < 0 || rank >= ranks)
        self.fail(fmt::format("team: there is no rank {}; the last is {}", rank, ranks - 1));
      listed.ranks.push_back(static_cast<Rank>(rank));
    }
    team.groups.push_back(std::move(listed));
  }
  if (groups.empty() || groups.front().empty())
    self.fail("team: expected at least one group of at least one rank");
  const std::uint32_t size = team.group_size();
  return self.added_team(self.open().team(std::move(team)), size);
}

void add_places(BuilderClass& builder) {
  builder.def("stream", add_stream, py::arg("name"), py::arg("rule") = "in-order",
              py::arg("credit") = 0, py::arg("at_once") = 0, py::arg("cycle") = "5ms",
              py::arg("per_cycle") = 0, py::arg("per_tensor") = 0, py::arg("fusion") = 0);
  builder.def("team", add_team, py::arg("groups"));
  builder.def("compute_on", [](OpenBuilder& self, std::int64_t team) {
    self.open().compute_on(self.team(team));
  });
}

py::list layers_of(OpenBuilder& self) {
  const py::object layer_type = py::module_::import("stepcast._schedules").attr("Layer");
  py::list layers;
  for (const Layer& layer : self.open().workload().layers) {
    py::list parameters;
    for (const Parameter& parameter : layer.parameters)
      parameters.append(py::make_tuple(parameter.name, size_of(parameter).value));
    layers.append(layer_type(layers.size(), layer.name, layer.kind, layer.forward.value,
                             layer.backward.value, parameter_size(layer).value, parameters));
  }
  return layers;
}

void add_questions(BuilderClass& builder) {
  builder.def_property_readonly("layers", layers_of);
  builder.def_property_readonly("nodes",
                                [](OpenBuilder& self) { return self.open().cluster().nodes; });
  builder.def_property_readonly(
      "gpus_per_node", [](OpenBuilder& self) { return self.open().cluster().gpus_per_node; });
  builder.def_property_readonly("gpus",
                                [](OpenBuilder& self) { return self.open().cluster().ranks(); });
  builder.def(
      "share_of_update",
      [](OpenBuilder& self, std::int64_t first, std::int64_t last) {
        return share_of_update(self.open().workload(), self.layer(first), self.layer(last));
      },
      py::arg("first"), py::arg("last"));
  builder.def("forward_pass", [](OpenBuilder& self) {
    std::vector<TaskId> tasks = forward_pass(self.open());
    self.added(tasks.back());
    return tasks;
  });
  builder.def("backward_pass", [](OpenBuilder& self) {
    std::vector<TaskId> tasks = backward_pass(self.open());
    self.added(tasks.front());
    return tasks;
  });
}

}  // namespace

void add_builder(py::module_& module) {
  BuilderClass builder(module, "Builder");
  add_compute(builder);
  add_communication(builder);
  add_order(builder);
  add_places(builder);
  add_questions(builder);
}

}  // namespace stepcast
