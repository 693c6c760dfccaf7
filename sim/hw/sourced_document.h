// A JSON text whose numbers carry their grade and source, taken apart into plain values and the origin of each. So two texts can be
// merged value by value, and error messages name the key that the user wrote.
//
//   "per_gpu": { "value": "450 GB/s", "grade": "spec", "source": "CSCS" }
//   "per_gpu": "450 GB/s"                     grade user, source the file
#pragma once

#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/document.h"
#include "base/json_merge.h"
#include "base/reader.h"
#include "base/unit_text.h"
#include "hw/sourced.h"

namespace moesim {

class SourcedDocument {
 public:
  /// Throws InputError for an unknown key beside "value", a grade that does not exist, or a grade without source.
  explicit SourcedDocument(const Document&);

  /// The numbers and texts of `over` win; its name stays.
  static SourcedDocument merged(const SourcedDocument& base, const SourcedDocument& over);

  const std::string& name() const { return name_; }
  /// The values as an object being consumed. The document must outlive it.
  Reader root() const;
  /// Where a value came from, and its text. A path that is no number of this document is an InternalError.
  bool has_origin(const std::string& path) const { return origins_.contains(path); }
  const ProfileNumber& origin(const std::string& path) const;

 private:
  SourcedDocument() = default;
  std::string name_;
  std::shared_ptr<const nlohmann::ordered_json> values_;
  std::map<std::string, ProfileNumber> origins_;
};

/// The values of a quantity that some machine could have; what lies outside is a slip.
template <class T>
struct Limits {
  T low, high;
};

/// One object of a SourcedDocument being consumed; notes each number that is read, in order.
class SourcedReader {
 public:
  SourcedReader(const SourcedDocument& document, std::vector<ProfileNumber>& numbers);

  SourcedReader object(const std::string& key);
  std::vector<SourcedReader> objects(const std::string& key);
  bool has(const std::string& key) const { return reader_.has(key); }
  Reader& plain() { return reader_; }
  void done() const { reader_.done(); }
  [[noreturn]] void fail(const std::string& key, const std::string& message) const { reader_.fail(key, message); }

  Sourced<double> number(const std::string& key, NumberRange range) { return take(key, reader_.number(key, range)); }
  /// A share of a peak: a thousandth to `most`.
  Sourced<double> share(const std::string& key, double most = 1);
  Sourced<std::int64_t> integer(const std::string& key, IntegerRange range) { return take(key, reader_.integer(key, range)); }
  Sourced<Bytes> bytes(const std::string& key, Limits<Bytes> l) { return within(key, reader_.bytes(key), l); }
  Sourced<Bandwidth> bandwidth(const std::string& key, Limits<Bandwidth> l) { return within(key, reader_.bandwidth(key), l); }
  Sourced<Time> time(const std::string& key, Limits<Time> l) { return within(key, reader_.time(key), l); }
  Sourced<FlopRate> flop_rate(const std::string& key, Limits<FlopRate> l) { return within(key, reader_.flop_rate(key), l); }
  /// A number that follows from others of the profile unless it is given.
  template <class T>
  Sourced<T> derived(const std::string& key, T value, std::string source) {
    std::string text;
    if constexpr (std::is_same_v<T, double>) text = significant(value, 4);
    else text = to_text(value);
    numbers_->push_back({joined(path_, key), std::move(text), Grade::derived, source});
    return {value, Grade::derived, std::move(source)};
  }

 private:
  SourcedReader(const SourcedReader& parent, Reader reader, std::string path);
  template <class T>
  Sourced<T> take(const std::string& key, T value) {
    const ProfileNumber& n = note(key);
    return {value, n.grade, n.source};
  }
  template <class T>
  Sourced<T> within(const std::string& key, T value, Limits<T> l) {
    if (value < l.low || l.high < value) refuse(key, to_text(l.low), to_text(l.high));
    return take(key, value);
  }
  [[noreturn]] void refuse(const std::string& key, const std::string& low, const std::string& high) const;
  const ProfileNumber& note(const std::string& key);

  const SourcedDocument* document_;
  std::vector<ProfileNumber>* numbers_;
  Reader reader_;
  std::string path_;
};

}  // namespace moesim
