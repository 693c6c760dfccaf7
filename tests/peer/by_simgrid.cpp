#include <simgrid/s4u.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <numeric>
#include <stdexcept>
#include <string>

#include "peer/flows.h"

namespace moesim::peer {
namespace {

namespace sg = simgrid::s4u;

class Simulation {
 public:
  Simulation(const Network& n, bool lazy) : network_(n) {
    int argc = 2;
    char name[] = "peer", quiet[] = "--log=root.thres:error";
    char* argv[] = {name, quiet, nullptr};
    engine_ = new sg::Engine(&argc, argv);   // SimGrid keeps it
    for (const char* setting : {"network/model:CM02", "network/crosstraffic:0", "network/TCP-gamma:0", "network/weight-S:0", "surf/precision:1e-12"}) sg::Engine::set_config(setting);
    if (!lazy) sg::Engine::set_config("network/optim:Full");
    zone_ = sg::create_full_zone("network");
    add_links();
    add_hosts();
    zone_->seal();
  }

  Ends run() {
    out_.seconds.resize(network_.flows.size());
    sg::Actor::create("starter", ends_.front(), [this] { start_all(); });
    const std::clock_t before = std::clock();
    engine_->run();
    out_.cpu_seconds = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
    return out_;
  }

 private:
  void add_links() {
    for (std::size_t l = 0; l < network_.capacity.size(); ++l) {
      sg::Link* link = zone_->create_link("l" + std::to_string(l), static_cast<double>(network_.capacity[l]));
      link->set_latency(static_cast<double>(network_.latency_ns[l]) * 1e-9)->set_sharing_policy(sg::Link::SharingPolicy::SHARED)->seal();
      links_.push_back(link);
    }
  }

  void add_hosts() {
    for (std::size_t h = 0; h < 2 * network_.routes.size(); ++h) {
      ends_.push_back(zone_->create_host("h" + std::to_string(h), 1e9));
      ends_.back()->seal();
    }
    for (std::size_t r = 0; r < network_.routes.size(); ++r) {
      std::vector<sg::LinkInRoute> links;
      for (const std::uint32_t l : network_.routes[r]) links.emplace_back(links_[l]);
      zone_->add_route(ends_[2 * r]->get_netpoint(), ends_[2 * r + 1]->get_netpoint(), nullptr, nullptr, links, false);
    }
  }

  void start_all() {
    std::vector<std::size_t> order(network_.flows.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return network_.flows[a].start_us < network_.flows[b].start_us; });
    std::vector<sg::CommPtr> comms(order.size());
    for (const std::size_t i : order) {
      const Flow& f = network_.flows[i];
      sg::this_actor::sleep_until(static_cast<double>(f.start_us) * 1e-6);
      comms[i] = sg::Comm::sendto_async(ends_[2 * f.route], ends_[2 * f.route + 1], static_cast<std::uint64_t>(f.bytes));
    }
    for (std::size_t i = 0; i < comms.size(); ++i) {
      comms[i]->wait();
      out_.seconds[i] = comms[i]->get_finish_time();
    }
  }

  const Network& network_;
  sg::Engine* engine_ = nullptr;
  sg::NetZone* zone_ = nullptr;
  std::vector<sg::Link*> links_;
  std::vector<sg::Host*> ends_;
  Ends out_;
};

/// Writes all of it. Leaves with exit status 0 if it could.
[[noreturn]] void work_in_child(const Network& n, bool lazy, int pipe_end) {
  Ends ends;
  try {
    ends = Simulation(n, lazy).run();
  } catch (...) {
    ::_exit(1);
  }
  std::FILE* out = ::fdopen(pipe_end, "wb");
  bool good = out != nullptr && std::fwrite(&ends.cpu_seconds, sizeof(double), 1, out) == 1;
  good = good && std::fwrite(ends.seconds.data(), sizeof(double), ends.seconds.size(), out) == ends.seconds.size();
  good = good && std::fflush(out) == 0;
  ::_exit(good ? 0 : 1);
}

}  // namespace

Ends by_simgrid(const Network& n, bool lazy) {
  int ends[2];
  if (::pipe(ends) != 0) throw std::runtime_error("no pipe");
  std::fflush(nullptr);   // what is buffered would be written by the child too
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("no child process");
  if (child == 0) {
    ::close(ends[0]);
    work_in_child(n, lazy, ends[1]);
  }
  ::close(ends[1]);
  Ends out;
  out.seconds.resize(n.flows.size());
  std::FILE* in = ::fdopen(ends[0], "rb");
  const bool good = std::fread(&out.cpu_seconds, sizeof(double), 1, in) == 1 && std::fread(out.seconds.data(), sizeof(double), out.seconds.size(), in) == out.seconds.size();
  std::fclose(in);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (!good || status != 0) throw std::runtime_error("SimGrid's process failed");
  return out;
}

}  // namespace moesim::peer
