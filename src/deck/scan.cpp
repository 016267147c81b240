// SPDX-License-Identifier: BSD-3-Clause
// The scan in two passes: encoding of all bytes, then the structure outside strings and comments.
#include "deck/scan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "core/check.hpp"

namespace parley {
namespace {

constexpr std::size_t max_bytes = std::size_t{1} << 20;
constexpr int max_depth = 32;
constexpr int max_dots = 15;

/// Length of the UTF-8 sequence at `at`, 0 when the bytes are not one (overlong forms, surrogates
/// and values above U+10FFFF included).
std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
  };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned lead = byte(0);
  if (lead < 0x80U) return 1;
  if (lead >= 0xC2U && lead <= 0xDFU) return follows(1) ? 2 : 0;
  if ((lead & 0xF0U) == 0xE0U) {
    const bool overlong = lead == 0xE0U && byte(1) < 0xA0U;
    const bool surrogate = lead == 0xEDU && byte(1) >= 0xA0U;
    return follows(1) && follows(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (lead >= 0xF0U && lead <= 0xF4U) {
    const bool overlong = lead == 0xF0U && byte(1) < 0x90U;
    const bool beyond = lead == 0xF4U && byte(1) >= 0x90U;
    return follows(1) && follows(2) && follows(3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

/// Walks over the text once, keeping the line, the open string and the open brackets.
class Scan {
 public:
  Scan(const std::string& file, std::string_view text) : file_(file), text_(text) {}

  void check_encoding() {
    for (at_ = 0, line_ = 1; at_ < text_.size();) {
      const auto code = static_cast<unsigned char>(text_[at_]);
      const std::size_t length = utf8_length(text_, at_);
      if (length == 0) {
        refuse(fmt::format("byte 0x{:02X} is not UTF-8", static_cast<unsigned>(code)),
               "save the deck as UTF-8");
      }
      const bool control = code < 0x20 && code != '\t' && code != '\n' && code != '\r';
      if (control || code == 0x7f) {
        refuse(fmt::format("control character 0x{:02X}", static_cast<unsigned>(code)), "remove it");
      }
      if (code == '\r' && (at_ + 1 == text_.size() || text_[at_ + 1] != '\n')) {
        refuse("a carriage return without a line feed", "end lines with a line feed");
      }
      // The parser of some systems reads U+FEBF as a cut-off byte-order mark.
      if (text_.substr(at_, 3) == "\xEF\xBA\xBF") {
        refuse("the bytes EF BA BF (U+FEBF) cannot be read reliably", "remove the character");
      }
      if (code == '\n') ++line_;
      at_ += length;
    }
  }

  void check_structure() {
    for (at_ = 0, line_ = 1; at_ < text_.size();) {
      const char c = text_[at_];
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (c == '"' || c == '\'') {
        skip_string(c);
      } else {
        check_plain(c);
        ++at_;
      }
    }
  }

 private:
  [[noreturn]] void refuse(const std::string& what, std::string_view remedy) const {
    fail_user("{}:{}: {}: {}", file_, line_, what, remedy);
  }

  /// A string that is not closed ends with its line here; the parser reports it.
  void skip_string(char quote) {
    statement_ = false;
    const std::string three(3, quote);
    const bool multi = text_.substr(at_, 3) == three;
    at_ += multi ? 3 : 1;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') {
        if (!multi) return;
        ++line_;
      }
      // The parser classifies white space of """ texts by a table with holes above ASCII.
      if (multi && quote == '"' && (static_cast<unsigned char>(c) & 0x80U) != 0) {
        refuse("a character that is not ASCII in a text of three double quotes",
               "use one double quote, or three single quotes");
      }
      if (c == '\\' && quote == '"') {
        if (at_ + 1 < text_.size() && text_[at_ + 1] == '\n') ++line_;
        at_ += 2;
        continue;
      }
      if (multi ? text_.substr(at_, 3) == three : c == quote) {
        at_ += multi ? 3 : 1;
        // Up to two quotes may stand right before the closing three.
        for (int i = 0; multi && i < 2 && at_ < text_.size() && text_[at_] == quote; ++i) ++at_;
        return;
      }
      ++at_;
    }
  }

  void check_plain(char c) {
    constexpr std::string_view legal =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+.:=,[]{} \t\r\n";
    if ((static_cast<unsigned char>(c) & 0x80U) != 0) {
      refuse("a character that is not ASCII outside quotes and comments",
             "put the text in double quotes");
    }
    if (legal.find(c) == std::string_view::npos) {
      refuse(fmt::format("unexpected character '{}'", c),
             "texts stand in double quotes, comments after #");
    }
    if (c == '[' && depth_ == 0 && statement_) return check_header();
    if (c == '[' || c == '{') ++depth_;
    if (c == ']' || c == '}') depth_ = std::max(0, depth_ - 1);
    if (depth_ > max_depth) refuse("too many nested brackets", "a deck needs at most 32");
    if (c == '.') ++dots_;
    if (std::string_view("=,[]{}\n").find(c) != std::string_view::npos) dots_ = 0;
    if (dots_ > max_dots) refuse("a dotted key with too many parts", "a deck needs at most 16");
    if (c == '\n') {
      ++line_;
      statement_ = true;
    } else if (c != ' ' && c != '\t' && c != '\r') {
      statement_ = false;
    }
  }

  /// At the first bracket of [name] or [[name]]: a name must follow.
  void check_header() {
    statement_ = false;
    if (at_ + 1 < text_.size() && text_[at_ + 1] == '[') ++at_;
    const std::size_t name = text_.find_first_not_of(" \t", at_ + 1);
    constexpr std::string_view starts =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-\"'";
    if (name == std::string_view::npos || starts.find(text_[name]) == std::string_view::npos) {
      refuse("a section header without a name", "write [name] or [[name]]");
    }
  }

  const std::string& file_;
  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  int depth_ = 0;
  int dots_ = 0;
  bool statement_ = true;  ///< nothing but blanks since the line began
};

}  // namespace

void scan_deck(const std::string& file, const std::string& text) {
  if (text.size() > max_bytes) {
    fail_user("{}: a file of {} bytes is not a deck: the limit is 1 MiB", file, text.size());
  }
  Scan scan(file, text);
  scan.check_encoding();
  scan.check_structure();
}

}  // namespace parley
