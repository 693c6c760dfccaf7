#include "app/command.h"

namespace moesim {

#define MOESIM_COMMAND(maker, name, help) std::unique_ptr<Command> maker();
#include "app/builtin.def"
#undef MOESIM_COMMAND

Registry<Command> commands() {
  Registry<Command> out("command");
#define MOESIM_COMMAND(maker, name, help) out.add(name, help, maker);
#include "app/builtin.def"
#undef MOESIM_COMMAND
  return out;
}

}  // namespace moesim
