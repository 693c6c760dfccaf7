// Internal to block: what lower_layer refuses.
#pragma once

#include <string>

#include "block/settings.h"

namespace moesim {

/// As check_lowering of the model (layer.h), for one kind of layer.
void check_lowering(const LayerSettings&, const LayerKind&);

/// "the training time of delta_net is not modelled yet; its parameters and memory are".
std::string not_modelled(const Part&);

}  // namespace moesim
