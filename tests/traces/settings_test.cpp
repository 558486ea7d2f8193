#include "traces/settings.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/support/input_error.hpp"
#include "traces/formats/stepcast/cluster_file.hpp"

namespace stepcast {
namespace {

Settings parse(std::vector<std::string> arguments) {
  return parse_settings(arguments);
}

std::string error_of(std::vector<std::string> arguments) {
  return input_error_of([&] { parse_settings(arguments); });
}

Workload two_layers() {
  Workload workload;
  workload.name = "two";
  workload.batch = 4;
  workload.batch_scaling = BatchScaling::Proportional;
  workload.layers.resize(2);
  workload.layers[0].forward = {1};
  workload.layers[1].backward = {3};
  return workload;
}

/// A value that the field accepts and that differs from its default.
std::string sample_value(const ClusterField& field) {
  struct {
    std::string operator()(std::string& (*)(Cluster&)) const { return "v100"; }
    std::string operator()(std::uint32_t& (*)(Cluster&)) const { return "3"; }
    std::string operator()(double& (*)(Cluster&)) const { return "1.5"; }
    std::string operator()(Seconds& (*)(Cluster&)) const { return "7us"; }
    std::string operator()(Bytes& (*)(Cluster&)) const { return "7MiB"; }
    std::string operator()(BytesPerSecond& (*)(Cluster&)) const { return "7GBps"; }
  } visitor;
  return std::visit(visitor, field.member);
}

TEST(Settings, ScheduleOptionsStayText) {
  const Settings settings = parse({"fusion=buffer", "note=a=b"});
  EXPECT_EQ(settings.schedule.at("fusion"), "buffer");
  EXPECT_EQ(settings.schedule.at("note"), "a=b");  // the first '=' divides
}

TEST(Settings, StepTimeRescalesTheWorkload) {
  const Workload workload = with_settings(two_layers(), parse({"step_time=2s"}));
  EXPECT_DOUBLE_EQ(workload.layers[0].forward.value, 0.5);   // 1 * 2/4
  EXPECT_DOUBLE_EQ(workload.layers[1].backward.value, 1.5);  // 3 * 2/4
  EXPECT_EQ(workload.provenance.notes.size(), 1U);
}

// Two layers of 1 + 3 s each way: 4 s, of which 1 s becomes the update.
TEST(Settings, UpdateTimeIsAPartOfTheStep) {
  const Workload workload = with_settings(two_layers(), parse({"update_time=1s"}));
  EXPECT_DOUBLE_EQ(workload.update.value, 1);
  EXPECT_DOUBLE_EQ(compute_time(workload).value, compute_time(two_layers()).value);
  EXPECT_DOUBLE_EQ(workload.layers[0].forward.value,
                   (compute_time(two_layers()).value - 1) / compute_time(two_layers()).value);
}

// Its passes stay as they are.
TEST(Settings, UpdateTimeTakesThePlaceOfAKnownUpdate) {
  Workload known = two_layers();
  known.update = Seconds{0.25};
  const Workload workload = with_settings(known, parse({"update_time=2s"}));
  EXPECT_DOUBLE_EQ(workload.update.value, 2);
  EXPECT_DOUBLE_EQ(workload.layers[0].forward.value, known.layers[0].forward.value);
  EXPECT_EQ(workload.provenance.notes.back(),
            "update_time: 2 s as set by the user, in place of 250 ms");
}

TEST(Settings, UpdateTimeIsOfTheStepTimeThatIsSet) {
  const Workload workload =
      with_settings(two_layers(), parse({"update_time=500ms", "step_time=2s"}));
  EXPECT_DOUBLE_EQ(workload.update.value, 0.5);
  EXPECT_DOUBLE_EQ(compute_time(workload).value, 2);
}

TEST(Settings, AnUpdateThatFillsTheStepIsRefused) {
  EXPECT_EQ(input_error_of([] {
              with_settings(two_layers(), parse({"step_time=2s", "update_time=2s"}));
            }),
            "--set update_time=2 s: expected less than the step's 2 s, which holds it, found 2 s");
}

TEST(Settings, BatchIsAppliedBeforeStepTime) {
  // The batch doubles all times to 8 s; the step time then has the last word.
  const Workload workload = with_settings(two_layers(), parse({"step_time=2s", "batch=8"}));
  EXPECT_EQ(workload.batch, 8U);
  EXPECT_DOUBLE_EQ((forward_time(workload) + backward_time(workload)).value, 2);
}

TEST(Settings, NothingSetChangesNothing) {
  const Workload workload = with_settings(two_layers(), {});
  EXPECT_DOUBLE_EQ(workload.layers[0].forward.value, 1);
  EXPECT_TRUE(workload.provenance.notes.empty());
}

TEST(Settings, EveryClusterFieldCanBeSet) {
  for (const ClusterField& field : cluster_fields()) {
    const std::string value = sample_value(field);
    Cluster before;
    Cluster after;
    set_cluster_field(after, field.path, value);
    const bool changed =
        std::visit([&](auto member) { return member(before) != member(after); }, field.member);
    EXPECT_TRUE(changed) << field.path;
  }
}

TEST(Settings, OnlyRacksMayBeLeftOutAsAWhole) {
  for (const ClusterField& field : cluster_fields())
    EXPECT_EQ(is_in_optional_section(field), field.section() == "rack") << field.path;
}

TEST(Settings, ClusterFieldsAreSetAndNoted) {
  const Settings settings = parse(
      {"cluster.nic.bandwidth=25Gbps", "cluster.nodes=8", "cluster.software.horovod_cycle=5ms"});
  const Cluster cluster = with_settings(Cluster{}, settings);
  EXPECT_DOUBLE_EQ(cluster.nic.bandwidth.value, 25e9 / 8);
  EXPECT_EQ(cluster.nodes, 8U);
  EXPECT_DOUBLE_EQ(cluster.software.horovod_cycle.value, 5e-3);
  EXPECT_EQ(
      std::ranges::count(cluster.provenance.notes, "nic.bandwidth: 25Gbps as set by the user"), 1);
}

TEST(Settings, ARackNeedsItsNumberOfNodes) {
  EXPECT_EQ(input_error_of([] {
              with_settings(Cluster{.name = "flat"}, parse({"cluster.rack.oversubscription=2"}));
            }),
            "cluster.rack.nodes: missing; cluster \"flat\" has no racks");
  const Cluster racked =
      with_settings(Cluster{}, parse({"cluster.rack.oversubscription=2", "cluster.rack.nodes=4"}));
  EXPECT_EQ(racked.rack->nodes, 4U);
}

TEST(Settings, UnknownClusterFieldNamesTheNearest) {
  EXPECT_EQ(error_of({"cluster.nic.bandwith=25Gbps"}),
            "--set cluster.nic.bandwith=25Gbps: unknown cluster field; did you mean "
            "\"nic.bandwidth\"?");
  EXPECT_NE(error_of({"cluster.provenance=mine"}), "");
}

TEST(Settings, WrongValuesAreRefusedAtOnce) {
  EXPECT_EQ(error_of({"cluster.nic.bandwidth=25"}),
            "--set cluster.nic.bandwidth=25: expected a bandwidth such as \"10Gbps\" or "
            "\"1.2GBps\", found \"25\"");
  for (const char* argument : {"cluster.nodes=0",
                               "cluster.nodes=two",
                               "cluster.gpus_per_node=0",
                               "cluster.nic.startup=-1us",
                               "cluster.rack.oversubscription=0.5",
                               "cluster.overlap.compute_slowdown=-1",
                               "cluster.overlap.compute_slowdown=nan",
                               "step_time=0s",
                               "step_time=-3ms",
                               "step_time=3",
                               "update_time=-3ms",
                               "batch=0",
                               "batch=-1",
                               "batch=1.5",
                               "straggler.1=0",
                               "straggler.1=-2",
                               "straggler.1=inf",
                               "straggler.1=1e300",
                               "step_time=1e-300s",
                               "step_time=1e300s",
                               "straggler.x=2",
                               "straggler.=2"}) {
    EXPECT_NE(error_of({argument}), "") << argument;
  }
}

TEST(Settings, WithoutEqualsSignItIsNoSetting) {
  EXPECT_EQ(error_of({"fusion"}), "--set fusion: expected key=value");
  EXPECT_EQ(error_of({"=5"}), "--set =5: expected key=value");
  EXPECT_EQ(error_of({"fusion="}), "--set fusion=: expected key=value");
}

TEST(Settings, NothingIsSetTwice) {
  EXPECT_EQ(error_of({"fusion=none", "fusion=none"}), "--set fusion=none: given twice");
  EXPECT_NE(error_of({"batch=1", "batch=2"}), "");
  EXPECT_NE(error_of({"step_time=1s", "step_time=2s"}), "");
  EXPECT_NE(error_of({"update_time=1ms", "update_time=2ms"}), "");
  EXPECT_NE(error_of({"straggler.1=2", "straggler.01=3"}), "");
  EXPECT_NE(error_of({"cluster.nodes=2", "cluster.nodes=2"}), "");
}

TEST(Settings, SizeFlagsAreClusterFields) {
  Settings settings;
  add_size(settings, 8, 2);
  EXPECT_EQ(with_settings(Cluster{}, settings).ranks(), 16U);
  EXPECT_EQ(input_error_of([&] { add_size(settings, 4, {}); }), "--nodes 4: given twice");
  EXPECT_EQ(input_error_of([] {
              Settings none;
              add_size(none, {}, 0);
            }),
            "--gpus-per-node 0: expected a whole number from 1 on, found \"0\"");
}

TEST(Settings, TooManyGpusAreRefused) {
  Settings settings;
  add_size(settings, 1U << 20, 2);
  EXPECT_NE(input_error_of([&] { with_settings(Cluster{}, settings); }), "no error");
}

TEST(Settings, TheCommandLineOverridesTheExperiment) {
  const Settings merged =
      overlaid(parse({"batch=4", "fusion=none", "cluster.nodes=2", "straggler.1=2"}),
               parse({"batch=8", "fusion=buffer", "cluster.nodes=3", "straggler.1=3"}));
  EXPECT_EQ(merged.batch, 8U);
  EXPECT_EQ(merged.schedule.at("fusion"), "buffer");
  EXPECT_EQ(merged.cluster.at("nodes"), "3");
  EXPECT_EQ(merged.stragglers.at(1), 3);
  EXPECT_EQ(overlaid(parse({"batch=4"}), {}).batch, 4U);
}

TEST(Settings, ACostThatIsSetIsGiven) {
  Cluster cluster;
  cluster.costs_not_given = {"software.collective_launch", "software.jitter"};
  const Cluster set = with_settings(cluster, parse({"cluster.software.collective_launch=0s"}));
  EXPECT_EQ(set.costs_not_given, std::vector<std::string>{"software.jitter"});
}

TEST(Settings, MeasuredCollectivesAreSetByName) {
  Cluster cluster;
  const std::string name = "v100-32x4-edr-nccl";
  const Cluster set = with_settings(
      cluster, parse({"cluster.collectives=" + name, "cluster.nic.bandwidth=100Gbps"}));
  ASSERT_TRUE(set.measured);
  EXPECT_EQ(set.measured->name, name);
  EXPECT_FALSE(set.measured->fits.empty());  // Named for the links as set: they stay.
  EXPECT_FALSE(with_settings(set, parse({"cluster.collectives=none"})).measured);
  EXPECT_EQ(error_of({"cluster.collectives=v100-32x4-edr-ncc"}),
            "--set cluster.collectives=v100-32x4-edr-ncc: unknown measured collectives "
            "\"v100-32x4-edr-ncc\" (see stepcast list collectives); did you mean "
            "\"v100-32x4-edr-nccl\"?");
}

TEST(Settings, ALaunchBesideMeasuredCollectivesIsACaveat) {
  Cluster cluster;
  cluster.software.collective_launch = Seconds{20e-6};
  const Cluster set = with_settings(cluster, parse({"cluster.collectives=v100-32x4-edr-nccl"}));
  EXPECT_TRUE(std::ranges::any_of(set.provenance.caveats, [](const std::string& caveat) {
    return caveat.starts_with("software.collective_launch, 20");
  }));
}

std::string caveats_of_setting(std::vector<std::string> settings, std::uint32_t adapters) {
  Cluster cluster{.name = "made", .nodes = 2, .gpus_per_node = 8};
  cluster.device.name = "a100";
  cluster.nics = adapters;
  cluster.nic.bandwidth = BytesPerSecond{20.5e9};
  std::string all;
  for (const std::string& caveat :
       with_settings(cluster, parse(std::move(settings))).provenance.caveats)
    all += caveat + ".";
  return all;
}

// 25 Gb/s on eight adapters was 2.30 s, where one adapter takes 14.47 s, without a word.
TEST(Settings, AFieldOfOneOfSeveralAdaptersIsToldWithTheTotal) {
  EXPECT_EQ(
      caveats_of_setting({"cluster.nic.bandwidth=25Gbps"}, 8),
      "a node has 8 x 25 Gb/s, 200 Gb/s in total; nic.bandwidth is that of each of them (with "
      "one adapter set cluster.nics=1, too).");
  EXPECT_EQ(caveats_of_setting({"cluster.nics=2"}, 8),
            "a node has 2 x 164 Gb/s, 328 Gb/s in total; 2 of 8 adapters, each with the bandwidth "
            "that it had.");
  EXPECT_EQ(caveats_of_setting({"cluster.nics=4", "cluster.nic.bandwidth=25Gbps"}, 8),
            "a node has 4 x 25 Gb/s, 100 Gb/s in total.");
  EXPECT_EQ(caveats_of_setting({"cluster.nic.startup=3us"}, 8),
            "nic.startup is paid by every message, through whichever of the 8 adapters.");
  EXPECT_EQ(caveats_of_setting({"cluster.nic.bandwidth=25Gbps"}, 1), "");
  EXPECT_EQ(caveats_of_setting({"cluster.nodes=4"}, 8), "");
}

TEST(Settings, AnotherDeviceByNameIsToldToKeepTheFigures) {
  EXPECT_EQ(caveats_of_setting({"cluster.device=h100"}, 1),
            "device h100 in place of a100: memory, links, jitter, software costs and measured "
            "collectives that are not set, too, stay those of a100.");
  EXPECT_EQ(caveats_of_setting({"cluster.device=a100"}, 1), "");
}

}  // namespace
}  // namespace stepcast
