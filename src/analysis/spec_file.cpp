#include "roofline/spec_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/closest.hpp"
#include "base/parse.hpp"
#include "roofline/error.hpp"
#include "spec/json_node.hpp"
#include "spec/read_spec_parts.hpp"

namespace roofline {
namespace {

constexpr std::size_t most_workloads = 100'000;

std::int64_t count_of(const JsonNode& node, std::string_view key) {
  return node.at(key).count(largest_count);
}

std::int64_t count_or(const JsonNode& node, std::string_view key, std::int64_t fallback) {
  const auto found = node.find(key);
  return found ? found->count(largest_count) : fallback;
}

/// A number, or a list of them.
std::vector<std::int64_t> counts_or(const JsonNode& node, std::string_view key,
                                    std::int64_t fallback) {
  const auto found = node.find(key);
  if (!found) return {fallback};
  if (!found->is_array()) return {found->count(largest_count)};
  std::vector<std::int64_t> counts;
  for (const JsonNode& element : found->elements()) counts.push_back(element.count(largest_count));
  if (counts.empty()) found->fail("is an empty list");
  return counts;
}

bool causal_or(const JsonNode& node, bool fallback) {
  const auto found = node.find("causal");
  return found ? found->boolean() : fallback;
}

AttentionShape read_attention_shape(const JsonNode& node) {
  AttentionShape shape;
  shape.batch = count_or(node, "batch", 1);
  shape.heads = count_of(node, "heads");
  shape.kv_heads = count_or(node, "kv_heads", shape.heads);
  shape.head_dim = count_of(node, "head_dim");
  shape.seq_q = count_of(node, "seq_q");
  shape.seq_k = count_or(node, "seq_k", shape.seq_q);
  shape.causal = causal_or(node, false);
  try {
    validate(shape);
  } catch (const Error& error) {
    ErrorCollector errors;
    for (const Diagnostic& problem : error.diagnostics()) {
      errors.collect([&] { node.fail(problem.what, problem.why); });
    }
    errors.throw_if_any();
  }
  return shape;
}

void require_step_keys(const JsonNode& node, std::string_view kind) {
  if (kind == "prefill") {
    node.only(
        {"name", "workload", "batch", "context_tokens", "contexts", "causal", "cached_tokens"});
  } else if (kind == "mixed") {
    node.only({"name", "workload", "batch", "context_tokens", "contexts", "chunk_tokens",
               "position_tokens"});
  } else if (kind == "verify") {
    node.only({"name", "workload", "batch", "context_tokens", "contexts", "draft_tokens"});
  } else {
    node.only({"name", "workload", "batch", "context_tokens", "contexts"});
  }
}

std::int64_t count_from_0(const JsonNode& node, std::string_view key) {
  const auto found = node.find(key);
  return found ? found->count(largest_count, 0) : 0;
}

Workload read_step(const JsonNode& node, const std::string& kind, const Sequences& first,
                   const std::vector<Sequences>& others) {
  if (kind == "decode") return Decode{first.count, first.context, others};
  if (kind == "mixed") {
    return Mixed{first.count, first.context, count_or(node, "chunk_tokens", Mixed{}.chunk),
                 count_from_0(node, "position_tokens"), others};
  }
  if (kind == "verify") {
    return Verify{first.count, first.context, count_or(node, "draft_tokens", Verify{}.drafts),
                  others};
  }
  const std::int64_t cached = count_from_0(node, "cached_tokens");
  if (cached >= first.context) {
    node.at("cached_tokens").fail("leaves nothing of the prompt to compute");
  }
  return Prefill{first.count, first.context, causal_or(node, true), cached, others};
}

/// Sequences of several lengths: [{"count": 8, "context_tokens": 512}, ...].
std::vector<Sequences> read_contexts(const JsonNode& node) {
  for (const std::string_view key : {"batch", "context_tokens"}) {
    if (const auto other = node.find(key)) other->fail("does not go with contexts");
  }
  std::vector<Sequences> all;
  for (const JsonNode& alike : node.at("contexts").elements()) {
    alike.only({"count", "context_tokens"});
    all.push_back({count_or(alike, "count", 1), count_of(alike, "context_tokens")});
  }
  if (all.empty()) node.at("contexts").fail("is an empty list");
  std::sort(all.begin(), all.end(), [](const Sequences& a, const Sequences& b) {
    return a.context < b.context;  // the shortest prompt first: it must be beyond its cached part
  });
  return all;
}

void add_model_steps(const JsonNode& node, const std::string& name, const std::string& kind,
                     std::vector<NamedWorkload>& workloads) {
  if (kind != "prefill" && node.find("causal")) {
    node.at("causal").fail(fmt::format("{} has no mask to leave out", kind),
                           "each of its queries attends every token before it");
  }
  require_step_keys(node, kind);
  if (node.find("contexts")) {
    const std::vector<Sequences> all = read_contexts(node);
    workloads.push_back({name, read_step(node, kind, all.front(), {all.begin() + 1, all.end()})});
    return;
  }
  for (const std::int64_t batch : counts_or(node, "batch", Decode{}.batch)) {
    for (const std::int64_t context : counts_or(node, "context_tokens", Decode{}.context)) {
      if (workloads.size() >= most_workloads) node.fail("the file has more than 100000 workloads");
      workloads.push_back({name, read_step(node, kind, {batch, context}, {})});
    }
  }
}

void add_workload(const JsonNode& node, std::vector<NamedWorkload>& workloads) {
  const JsonNode kind_node = node.at("workload");
  const std::string kind = kind_node.text();
  const auto name_node = node.find("name");
  const std::string name = name_node ? name_node->text() : kind;
  const std::vector<std::string> steps{"decode", "mixed", "prefill", "verify"};
  if (std::find(steps.begin(), steps.end(), kind) != steps.end()) {
    add_model_steps(node, name, kind, workloads);
  } else if (kind == "matmul") {
    node.only({"name", "workload", "m", "k", "n"});
    workloads.push_back(
        {name, MatmulShape{count_of(node, "m"), count_of(node, "k"), count_of(node, "n")}});
  } else if (kind == "attention") {
    node.only(
        {"name", "workload", "batch", "heads", "kv_heads", "head_dim", "seq_q", "seq_k", "causal"});
    workloads.push_back({name, read_attention_shape(node)});
  } else if (kind == "textbook-decode") {
    node.only({"name", "workload", "batch", "parameters", "kv_heads", "head_dim", "context_tokens",
               "layers"});
    workloads.push_back({name, TextbookDecode{.batch = count_or(node, "batch", 1),
                                              .parameters = count_of(node, "parameters"),
                                              .kv_heads = count_of(node, "kv_heads"),
                                              .head_dim = count_of(node, "head_dim"),
                                              .context = count_of(node, "context_tokens"),
                                              .layers = count_or(node, "layers", 1)}});
  } else {
    const std::vector<std::string> known{"attention", "decode",          "matmul", "mixed",
                                         "prefill",   "textbook-decode", "verify"};
    kind_node.fail(fmt::format("unknown workload '{}'", kind),
                   fmt::format("known: {}", fmt::join(known, ", ")), {}, closest(kind, known));
  }
}

/// Rows of entries that share a name could not be told apart.
template <class Entry>
void refuse_twins(const JsonNode& root, std::string_view key, const std::vector<Entry>& entries) {
  std::set<std::string> names;
  for (const Entry& entry : entries) {
    if (!names.insert(entry.name).second) {
      root.at(key).fail(fmt::format("two are called '{}'", entry.name));
    }
  }
}

/// An entry by name: the catalogue's error, at this place.
template <class Find>
auto named_at(const JsonNode& node, Find&& find) {
  try {
    return find(node.text());
  } catch (const Error& error) {
    const Diagnostic& first = error.diagnostics().front();
    if (!first.where.empty()) throw;
    node.fail(first.what, first.why, first.fix, first.suggestions);
  }
}

}  // namespace

void validate(const AttentionShape& shape) {
  ErrorCollector errors;
  if (shape.kv_heads < 1 || shape.heads % shape.kv_heads != 0) {
    errors.add(Error(Diagnostic{
        .what = fmt::format("{} heads cannot share {} K/V heads", shape.heads, shape.kv_heads),
        .why = "the number of K/V heads must divide the number of heads"}));
  }
  if (shape.causal && shape.seq_k < shape.seq_q) {
    errors.add(Error(Diagnostic{
        .what =
            fmt::format("causal attention of {} queries over {} keys", shape.seq_q, shape.seq_k),
        .why = "the queries are the last of the keys: there must be at least as many keys"}));
  }
  errors.throw_if_any();
}

SpecFile read_spec_file(std::string_view text, const std::string& file, const Catalog& catalog) {
  const JsonNode root = JsonNode::parse(text, file);
  root.only({"name", "description", "source", "devices", "models", "workloads"});
  SpecFile spec;
  if (const auto description = root.find("description")) spec.description = description->text();
  if (const auto devices = root.find("devices")) {
    for (const JsonNode& node : devices->elements()) {
      if (node.is_string() && normalized_name(node.text()) == "all") {
        for (Found<Device>& found : catalog.all_devices()) {
          spec.devices.push_back(std::move(found.entry));
        }
        continue;
      }
      spec.devices.push_back(node.is_string()
                                 ? named_at(node, [&](const auto& n) { return catalog.device(n); })
                                 : read_device(node));
    }
  }
  if (const auto models = root.find("models")) {
    for (const JsonNode& node : models->elements()) {
      spec.models.push_back(node.is_string()
                                ? named_at(node, [&](const auto& n) { return catalog.model(n); })
                                : read_model(node, "model-" + node.key()));
    }
  }
  refuse_twins(root, "devices", spec.devices);
  refuse_twins(root, "models", spec.models);
  const JsonNode workloads = root.at("workloads");
  for (const JsonNode& node : workloads.elements()) add_workload(node, spec.workloads);
  if (spec.workloads.empty()) workloads.fail("is empty");
  return spec;
}

}  // namespace roofline
