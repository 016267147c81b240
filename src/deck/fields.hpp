// SPDX-License-Identifier: BSD-3-Clause
// The visitor that every Options struct describes itself to. One describe(Fields&, Options&) feeds
// the deck reader, the defaults, inputs/reference.toml, the JSON Schema and the resume check. Knows
// no TOML and no MPI.
#pragma once

#include <any>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace parley {

class Fields;

/// What a key means.
struct About {
  std::string_view sentence;   ///< one sentence for reference.toml and the schema
  std::string_view unit = "";  ///< "s", "bytes", ... ; empty when dimensionless
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  bool min_excluded = false;  ///< the value must be above min, not equal to it
  bool max_excluded = false;
  bool required = false;   ///< no default: a deck without it is refused
  bool resumable = false;  ///< may differ from the interrupted run's value on --resume
};

/// One alternative of a registry: its name, its one line for `parley list`, and its own keys.
/// `defaults` makes the options value; `describe` visits it.
struct Kind {
  std::string_view name;
  std::string_view summary;
  std::string_view source;  ///< paper and equation, or where the problem is defined
  std::any (*defaults)();
  void (*describe)(Fields&, std::any&);
};

/// A Kind for an Options struct that has describe(Fields&, Options&).
template <class Options>
constexpr Kind make_kind(std::string_view name, std::string_view summary, std::string_view source) {
  return {name, summary, source, [] { return std::any(Options{}); },
          [](Fields& fields, std::any& options) {
            describe(fields, *std::any_cast<Options>(&options));
          }};
}

/// A chosen alternative with the values of its keys.
struct Choice {
  std::string kind;
  std::any options;

  /// The options as their type; std::bad_any_cast when `kind` has another one.
  template <class Options>
  const Options& as() const {
    return std::any_cast<const Options&>(options);
  }
};

/// The visitor. Keys are visited in the order of reference.toml. A value that is there before the
/// visit is the default.
class Fields {
 public:
  virtual ~Fields() = default;

  virtual void key(std::string_view name, bool& value, const About& about) = 0;
  virtual void key(std::string_view name, std::int64_t& value, const About& about) = 0;
  virtual void key(std::string_view name, double& value, const About& about) = 0;
  virtual void key(std::string_view name, std::string& value, const About& about) = 0;
  virtual void key(std::string_view name, std::vector<std::int64_t>& value, const About& about) = 0;
  virtual void key(std::string_view name, std::vector<double>& value, const About& about) = 0;
  virtual void key(std::string_view name, std::vector<std::string>& value, const About& about) = 0;
  /// Keys that may be absent, which then means something of its own (said in the sentence).
  virtual void key(std::string_view name, std::optional<std::int64_t>& value, const About&) = 0;
  virtual void key(std::string_view name, std::optional<double>& value, const About&) = 0;
  virtual void key(std::string_view name, std::optional<std::string>& value, const About&) = 0;

  /// A text out of a set.
  virtual void one_of(std::string_view name, std::string& value,
                      std::span<const std::string_view> allowed, const About& about) = 0;
  /// A duration: "90s", "55m", "2h", "5ms", or a number of seconds.
  virtual void duration(std::string_view name, std::optional<double>& seconds,
                        const About& about) = 0;
  /// A nested table with keys of its own; where the deck has none, all keys take their defaults.
  virtual void table(std::string_view name, const About& about,
                     const std::function<void(Fields&)>& body) = 0;
  /// A nested table that may be absent, which then means something of its own: `has` tells whether
  /// the value has it, `make` is called before `body` visits a table that the deck gives.
  struct Maybe {
    std::function<bool()> has;
    std::function<void()> make;
    std::function<void(Fields&)> body;
  };
  virtual void maybe(std::string_view name, const Maybe& maybe, const About& about) = 0;
  /// An array of tables (one table stands for one element): `resize(n)` makes n elements,
  /// `body(fields, i)` visits element i.
  struct List {
    std::function<std::size_t()> size;
    std::function<void(std::size_t)> resize;
    std::function<void(Fields&, std::size_t)> body;
  };
  virtual void list(std::string_view name, const List& list, const About& about) = 0;
  /// A key that names one alternative of a registry, whose own keys follow in the same table.
  virtual void choice(std::string_view name, Choice& value, std::span<const Kind> kinds,
                      const About& about) = 0;
  /// Keys that several kinds of a registry share; `title` names them ("the keys of every method").
  /// The reference deck shows them with one kind and refers to it from the others.
  virtual void group(std::string_view /*title*/, const std::function<void(Fields&)>& body) {
    body(*this);
  }
  /// Keys that are legal only under a condition on keys visited before ("loss = \"wgan-gp\""): a
  /// deck that sets one of them otherwise is refused with this text.
  virtual void only_when(bool holds, std::string_view condition,
                         const std::function<void(Fields&)>& body) = 0;
  /// Reports a mistake that concerns several keys at once ("rows x columns must equal agents"), at
  /// the place of key `name`. Ignored by visitors other than the reader.
  virtual void mistake(std::string_view name, const std::string& text) = 0;

  /// An array of tables held in a vector whose elements have describe(Fields&, T&).
  template <class T>
  void list_of(std::string_view name, std::vector<T>& values, const About& about) {
    list(name,
         {[&values] { return values.size(); }, [&values](std::size_t n) { values.resize(n); },
          [&values](Fields& fields, std::size_t i) { describe(fields, values[i]); }},
         about);
  }
};

}  // namespace parley
