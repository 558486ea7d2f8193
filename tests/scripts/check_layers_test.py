#!/usr/bin/env python3
"""Tests of scripts/check_layers.py: each rule refuses its fault and lets the neighbour pass."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "scripts"))
from check_layers import faults_of_file, faults_of_folders  # noqa: E402


class CheckLayers(unittest.TestCase):
    def expect_fault(self, name, include, words):
        faults = faults_of_file(name, f"#include {include}\n")
        self.assertEqual(len(faults), 1, faults)
        self.assertIn(words, faults[0])

    def expect_none(self, name, include):
        self.assertEqual(faults_of_file(name, f"#include {include}\n"), [])

    def test_an_include_of_a_layer_above_is_a_fault(self):
        self.expect_fault("models/base/text.hpp", '"models/graph/task.hpp"', "a layer above")
        self.expect_none("models/graph/task.hpp", '"models/base/text.hpp"')

    def test_the_tests_of_a_layer_need_nothing_above_it(self):
        self.expect_fault("tests/models/base/text_test.cpp", '"sim/engine/engine.hpp"', "a layer above")
        self.expect_none("tests/models/base/text_test.cpp", '"models/base/text.hpp"')
        self.expect_none("tests/models/base/text_test.cpp", '"tests/support/example.hpp"')
        self.expect_none("tests/bench/engine_bench.cpp", '"sim/cli/version.hpp"')

    def test_a_library_stays_in_its_folder(self):
        self.expect_fault("sim/report/table.cpp", "<simgrid/s4u.hpp>", "only sim/engine")
        self.expect_fault("sim/report/table.cpp", "<CLI/CLI.hpp>", "only sim/cli")
        self.expect_fault("sim/engine/engine.cpp", "<boost/graph/topological_sort.hpp>", "only models/graph")
        self.expect_none("sim/engine/platform.cpp", "<simgrid/s4u.hpp>")

    def test_costly_headers_stay_out_of_headers(self):
        self.expect_fault("traces/json/strict_json.hpp", "<nlohmann/json.hpp>", ".cpp files only")
        self.expect_fault("sim/cli/log.hpp", "<spdlog/spdlog.h>", ".cpp files only")
        self.expect_none("traces/json/strict_json.hpp", "<nlohmann/json_fwd.hpp>")
        self.expect_none("traces/json/strict_json.cpp", "<nlohmann/json.hpp>")

    def test_models_read_no_files(self):
        self.expect_fault("models/workload/workload.cpp", "<fstream>", "no file input and output")
        self.expect_none("traces/json/file.cpp", "<fstream>")

    def test_schedules_know_the_type_and_only_the_registry_knows_them(self):
        self.expect_fault("models/schedule/plan.hpp", '"models/schedule/kfac/step.hpp"', "a layer above")
        self.expect_none("models/schedule/kfac/step.hpp", '"models/schedule/plan.hpp"')
        self.expect_none("models/schedule/registry.cpp", '"models/schedule/kfac/schedules.hpp"')

    def test_the_probe_needs_no_simulation(self):
        self.expect_fault("sim/probe/results.cpp", '"sim/engine/engine.hpp"', "the probe stands on sim/timeline")
        self.expect_none("sim/probe/results.cpp", '"sim/timeline/chrome_trace.hpp"')
        self.expect_none("tests/sim/probe/results_test.cpp", '"sim/study/validate/hardware_fit.hpp"')

    def test_a_folder_holds_at_most_30_sources(self):
        names = [f"sim/engine/{number}.cpp" for number in range(30)]
        self.assertEqual(faults_of_folders([*names, "sim/engine/policy/in_order.cpp"]), [])
        self.assertIn("sim/engine: holds 31 sources", faults_of_folders([*names, "sim/engine/more.hpp"])[0])

    def test_a_new_folder_must_be_given_a_layer(self):
        self.assertIn("is in no layer", faults_of_file("models/power/watts.hpp", "")[0])
        self.expect_fault("sim/engine/engine.cpp", '"models/power/watts.hpp"', "in no layer")


if __name__ == "__main__":
    unittest.main()
