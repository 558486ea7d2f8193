#pragma once

#include "models/network/cluster.hpp"
#include "sim/jobs/diagnose/diagnosis.hpp"

namespace stepcast {

/// Fills in MeetingCost::cluster_bandwidth: what collectives and messages of that size among these
/// ranks have on an idle network, by the cluster's measured curves where they cover it, else by its
/// links. Rank r is on node r / gpus_per_node, and the cluster gets as many nodes as the job fills.
/// Of those whose ranks are not all recorded only what joins the whole job is known.
void add_cluster_bandwidths(Cluster cluster, Diagnosis& diagnosis);

}  // namespace stepcast
