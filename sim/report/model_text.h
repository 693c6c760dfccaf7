// A model as a table.
#pragma once

#include <cstdint>
#include <string>

#include "model/spec.h"

namespace moesim {

std::string model_text(const ModelSpec&, std::int64_t seq_length);
std::string model_json(const ModelSpec&, std::int64_t seq_length);

}  // namespace moesim
