// A script's variables at one point of it. What is set in a branch that may not run is certain
// inside the branch and unresolved after it.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "spec/serving/shell_source.hpp"

namespace roofline {

struct ShellValue {
  ShellVariable scalar{};
  std::optional<std::vector<ShellWord>> list{};  ///< of an array
  bool exported = false;
};

enum class ShellBlock {
  group,     ///< { ... }: what it sets stays
  subshell,  ///< ( ... ): what it sets is lost
  branch,    ///< if ... fi, loops
  cases,     ///< case ... esac
  list       ///< after "||", or "&&" behind a test, up to the end of the list
};

class ShellScope {
 public:
  ShellScope(ShellSource& source, const ShellVariables& given);

  /// Null: not set.
  [[nodiscard]] const ShellValue* find(std::string_view name) const;
  /// Of the variables that the script was given, whatever it did to them; null if there is none.
  [[nodiscard]] const ShellVariable* given(std::string_view name) const;
  /// One that was exported stays so.
  void set(const std::string& name, ShellValue value);
  void unset(const std::string& name);
  /// From here on it has a value that cannot be known.
  void blur(const std::string& name);
  void mark_exported(const std::string& name);
  [[nodiscard]] ShellVariables exported() const;

  void open(ShellBlock block, std::size_t offset);
  /// "else", ";;": what the branch before set is undone.
  void next_branch();
  /// Closes the innermost block if it is one of that kind.
  void close(ShellBlock block);
  [[nodiscard]] bool inside(ShellBlock block) const;

 private:
  struct Saved {
    std::optional<ShellValue> before;
    bool differed = false;
  };
  struct Frame {
    ShellBlock block;
    std::map<std::string, Saved> saved;
  };

  void keep(const std::string& name);
  void put(const std::string& name, std::optional<ShellValue> value);
  [[nodiscard]] bool is_as_before(const std::string& name, const Saved& saved) const;
  void leave(Frame&& frame);

  ShellSource& source_;
  const ShellVariables& given_;
  std::map<std::string, ShellValue, std::less<>> values_;
  std::set<std::string> exported_;
  std::vector<Frame> frames_;
};

}  // namespace roofline
