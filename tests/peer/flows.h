// Random networks and flows, and when each flow ends by moesim's engine and by SimGrid.
#pragma once

#include <cstdint>
#include <vector>

namespace moesim::peer {

struct Flow {
  std::uint32_t route = 0;      // index into Network::routes
  std::int64_t bytes = 0;
  std::int64_t start_us = 0;
};

/// Links in one direction, and routes between pairs of hosts over some of them.
struct Network {
  std::vector<std::int64_t> capacity;               // bytes per second, of each link
  std::vector<std::int64_t> latency_ns;             // of each link
  std::vector<std::vector<std::uint32_t>> routes;   // links; route i leads from host 2 i to host 2 i + 1
  std::vector<Flow> flows;
};

struct Shape {
  std::uint32_t switches = 8, cables = 6, hosts = 16, routes = 40, flows = 60;
  std::int64_t latency_ns = 0;                      // of each link
  bool only_first = false;                          // only of the first link of a route: then all routes have it once
  bool at_once = false;                             // all flows start at 0, else within 50 ms
};

/// Switches joined by a random tree and `cables` more cables, hosts on random switches, shortest routes between random hosts. Flows of random
/// size, 10 ms and more on the narrowest link of their route. Equal for equal seeds.
Network random_network(std::uint64_t seed, const Shape&);

struct Ends {
  std::vector<double> seconds;                      // of each flow
  double cpu_seconds = 0;                           // of the simulation, without building the network
};

/// By moesim::run: a flow is an actor that starts one transfer over the links of its route.
Ends by_engine(const Network&);

/// By SimGrid 3.32, network model CM02, without cross-traffic and TCP window, in a child process (SimGrid allows one simulation a process).
/// With latency on, SimGrid's lazy updates (its default) let flows that wake together pass links that are full: see README.md; `lazy` false does
/// without. Throws std::runtime_error if the child fails.
Ends by_simgrid(const Network&, bool lazy = true);

}  // namespace moesim::peer
