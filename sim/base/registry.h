// Named makers of one interface, each with a one-line help. A registry is a value: built where it is needed from the layer's
// builtin.def, owned by its user, never global.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace moesim {

template <class Interface>
class Registry {
 public:
  using Maker = std::function<std::unique_ptr<Interface>()>;

  struct Entry {
    std::string name;
    std::string help;
    Maker make;
  };

  /// `what` is the kind in messages: "schedule", "router".
  explicit Registry(std::string what) : what_(std::move(what)) {}

  /// Throws InternalError for a name already taken.
  void add(std::string name, std::string help, Maker make) {
    for (const Entry& e : entries_)
      if (e.name == name) throw InternalError(what_ + " \"" + name + "\" is registered twice");
    entries_.push_back({std::move(name), std::move(help), std::move(make)});
  }

  /// Throws InputError that lists the valid names and suggests the nearest.
  std::unique_ptr<Interface> make(std::string_view name) const {
    for (const Entry& e : entries_)
      if (e.name == name) return e.make();
    std::vector<std::string> known = names();
    std::string list;
    for (const std::string& n : known) list += (list.empty() ? "" : ", ") + n;
    throw InputError("found \"" + shortened(name) + "\", allowed is a " + what_ + ": " + list + did_you_mean(name, known));
  }

  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const Entry& e : entries_) out.push_back(e.name);
    return out;
  }

  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::string what_;
  std::vector<Entry> entries_;
};

}  // namespace moesim
