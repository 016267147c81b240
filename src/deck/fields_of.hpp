// SPDX-License-Identifier: BSD-3-Clause
// Spares visitors the ten overloads of Fields::key: a Visitor derives from FieldsOf<Visitor> and
// has one template on_key(name, value, about). Knows no TOML.
#pragma once

#include "deck/fields.hpp"

namespace parley {

template <class Visitor>
class FieldsOf : public Fields {
 public:
  void key(std::string_view name, bool& value, const About& about) final {
    self().on_key(name, value, about);
  }
  void key(std::string_view name, std::int64_t& value, const About& about) final {
    self().on_key(name, value, about);
  }
  void key(std::string_view name, double& value, const About& about) final {
    self().on_key(name, value, about);
  }
  void key(std::string_view name, std::string& value, const About& about) final {
    self().on_key(name, value, about);
  }
  void key(std::string_view name, std::vector<std::int64_t>& value, const About& about) final {
    self().on_key(name, value, about);
  }
  void key(std::string_view name, std::vector<double>& value, const About& about) final {
    self().on_key(name, value, about);
  }
  void key(std::string_view name, std::vector<std::string>& value, const About& about) final {
    self().on_key(name, value, about);
  }
  void key(std::string_view name, std::optional<std::int64_t>& value, const About& about) final {
    self().on_key(name, value, about);
  }
  void key(std::string_view name, std::optional<double>& value, const About& about) final {
    self().on_key(name, value, about);
  }
  void key(std::string_view name, std::optional<std::string>& value, const About& about) final {
    self().on_key(name, value, about);
  }

 private:
  Visitor& self() { return static_cast<Visitor&>(*this); }
};

}  // namespace parley
