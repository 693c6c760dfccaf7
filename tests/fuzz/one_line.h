// What every reader promises: input is fine, or an InputError of one line.
#pragma once

#include <string_view>

#include "base/error.h"

namespace moesim {

template <class F>
void one_line_or_fine(F f) {
  try {
    f();
  } catch (const InputError& e) {
    if (std::string_view(e.what()).find('\n') != std::string_view::npos) throw InternalError("an error of more than one line");
  }
}

}  // namespace moesim
