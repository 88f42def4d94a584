// Patterns of module names: what each piece matches, checked against Python's re.match and fnmatch.
#include "spec/huggingface/quantization/name_pattern.hpp"

#include <catch2/catch.hpp>

using Catch::Matchers::Contains;
using roofline::huggingface::NamePattern;

namespace {

bool expression_matches(std::string_view pattern, std::string_view name) {
  std::string problem;
  const auto compiled = NamePattern::expression(pattern, problem);
  CAPTURE(pattern, problem);
  REQUIRE(compiled);
  return compiled->matches(name);
}

bool wildcards_match(std::string_view pattern, std::string_view name) {
  std::string problem;
  const auto compiled = NamePattern::wildcards(pattern, problem);
  REQUIRE(compiled);
  return compiled->matches(name);
}

std::string problem_of(std::string_view pattern) {
  std::string problem;
  const auto compiled = NamePattern::expression(pattern, problem);
  CHECK_FALSE(compiled);
  return problem;
}

}  // namespace

TEST_CASE("Expressions match from the first character as re.match does", "[spec]") {
  const auto [pattern, name, matches] = GENERATE(table<std::string, std::string, bool>({
      {"lm_head", "lm_head", true},
      {"lm_head", "lm_head.weight", true},
      {"lm_head", "model.lm_head", false},
      {".*lm_head", "model.lm_head", true},
      {"", "anything", true},
      {"^model", "model.layers", true},
      {"m^odel", "model", false},
      {".*mlp.gate$", "model.layers.0.mlp.gate", true},
      {".*mlp.gate$", "model.layers.0.mlp.gate_proj", false},
      {".*mlp.gate", "model.layers.0.mlp.gate_proj", true},
      {"a\\.b", "a.b", true},
      {"a\\.b", "axb", false},
      {"a.b", "axb", true},
      {".*layers\\.\\d+\\.mlp", "model.layers.17.mlp", true},
      {".*layers\\.\\d+\\.mlp", "model.layers.x.mlp", false},
      {".*\\.(gate|up|gate_up)_proj$", "mlp.gate_up_proj", true},
      {".*\\.(gate|up|gate_up)_proj$", "mlp.down_proj", false},
      {".*\\.(?:q|k)_proj", "attn.k_proj", true},
      {"(a|b|c)d", "cd", true},
      {"(a|b|c)d", "d", false},
      {"x?(a|b)", "a", true},
      {"x?(a|b)", "xb", true},
      {"(a*b|c)d", "aabd", true},
      {"(a*b|c)d", "cd", true},
      {"(a*b|c)d", "acd", false},
      {"(ab)+c", "ababc", true},
      {"(ab)+c", "c", false},
      {"(a*)*b", "aaab", true},
      {"(|a)b", "b", true},
      {"(|a)b", "ab", true},
      {"a|b", "b", true},
      {"layers.[0-3].x", "layers.2.x", true},
      {"layers.[0-3].x", "layers.7.x", false},
      {"[^.]*\\.x", "abc.x", true},
      {"[^.]*\\.x", "a.b.x", false},
      {"[\\d_]+x", "1_2x", true},
      {"[]a]x", "]x", true},
      {"a*?b", "aab", true},
      {"\\w+$", "q_proj", true},
      {"\\w+$", "q.proj", false},
      {"a$|b", "ab", false},
      {"a$|b", "a", true},
  }));
  CAPTURE(pattern, name);
  CHECK(expression_matches(pattern, name) == matches);
}

TEST_CASE("Wildcards match a whole name or a module that it is inside", "[spec]") {
  const auto [pattern, name, matches] = GENERATE(table<std::string, std::string, bool>({
      {"model.layers.0.self_attn*", "model.layers.0.self_attn.q_proj", true},
      {"model.layers.1*", "model.layers.1.mlp", true},
      {"model.layers.1*", "model.layers.12.mlp", true},
      {"model.layers.*.self_attn", "model.layers.7.self_attn.q_proj", true},
      {"model.layers.*.self_attn", "model.layers.7.self_attn", true},
      {"model.layers.*.self_attn", "model.layers.7.self_attn_norm", false},
      {"*self_attn*", "model.layers.0.self_attn.q_proj", true},
      {"self_attn*", "model.layers.0.self_attn.q_proj", false},
      {"*.mlp.gate*", "model.layers.0.mlp.gate_proj", true},
      {"layers.?.x", "layers.3.x", true},
      {"layers.?.x", "layers.13.x", false},
      {"layers.[12].x", "layers.2.x", true},
      {"layers.[!12].x", "layers.2.x", false},
      {"a[", "a[", true},
  }));
  CAPTURE(pattern, name);
  CHECK(wildcards_match(pattern, name) == matches);
}

TEST_CASE("What is no part of the expressions is refused with the reason", "[spec]") {
  const auto [pattern, problem] = GENERATE(table<std::string, std::string>({
      {"(?!a).*", "groups that begin with (?"},
      {"(?=a)", "groups that begin with (?"},
      {"a{2}", "{ is not read there"},
      {"*a", "* is not read there"},
      {"(a", "a ( without a )"},
      {"a)", "a ) without a ("},
      {"[a", "a [ without a ]"},
      {"\\b", "\\b is not read"},
      {"\\1", "\\1 is not read"},
      {"a\\", "is not read"},
  }));
  CAPTURE(pattern);
  CHECK_THAT(problem_of(pattern), Contains(problem));
  CHECK(problem_of(std::string(3000, 'a')) == "it is too long");
  CHECK(problem_of(std::string(100, '(') + std::string(100, ')')) == "it is nested too deeply");
}

TEST_CASE("A pattern that would make a backtracking matcher try everything is quick", "[spec]") {
  std::string pattern;
  for (int i = 0; i < 200; ++i) pattern += "(a*)*";
  CHECK_FALSE(expression_matches(pattern + "b", std::string(500, 'a')));
}
