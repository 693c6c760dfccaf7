// Errors as values of three kinds; the command line turns them into exit status 2, 1 and 3. Library code never exits.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace moesim {

/// Bad input: one line that says where, what was found and what is allowed. Exit status 2.
struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A key that had to be there.
struct MissingKey : InputError {
  MissingKey(const std::string& line, std::string_view k) : InputError(line), key(k) {}
  std::string key;
};

/// Input that would take longer than kLongestTime (base/units.h).
struct TooLong : InputError {
  using InputError::InputError;
};

/// Good input whose answer is no: does not fit, a bound missed, no plan. Exit status 1.
struct AnswerNo : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A broken promise inside moesim. Exit status 3.
struct InternalError : std::logic_error {
  using std::logic_error::logic_error;
};

/// The candidate closest to `word` by edit distance (another case counts half), or "" if none is close enough to be a likely slip.
std::string nearest(std::string_view word, std::span<const std::string> candidates);

/// `; did you mean "X"?` for the nearest candidate, or "".
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

/// `text` on one line, as one can look at it: control characters (new lines too), marks that turn the direction of text, and broken UTF-8 are
/// escaped ("\\x1b").
std::string printable(std::string_view text);

/// The same in at most 60 characters, for use in messages.
std::string shortened(std::string_view text);

}  // namespace moesim
