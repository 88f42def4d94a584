// Devices as reports: the list, and one with its figures, prices and sources.
#include <fmt/format.h>

#include <algorithm>

#include "base/closest.hpp"
#include "base/format.hpp"
#include "report/catalog_report.hpp"
#include "roofline/deployment.hpp"

namespace roofline::report {
namespace {

std::optional<FlopsPerSecond> peak_of(const Device& device, MatrixType type) {
  const auto found = device.peaks.find({type, PeakKey::Unit::standard});
  if (found == device.peaks.end()) return std::nullopt;
  return found->second;
}

/// The faster of the 16-bit rates.
std::optional<FlopsPerSecond> peak_16_bit(const Device& device) {
  return std::max(peak_of(device, MatrixType::bf16), peak_of(device, MatrixType::fp16));
}

template <class Tag>
Value optional_value(const std::optional<Quantity<Tag>>& quantity) {
  return quantity ? Value(quantity->value()) : Value();
}

/// One stated figure with its basis and sources.
class Figures {
 public:
  explicit Figures(const Device& device) : device_(device) {}

  void add(const std::string& path, double value, std::string text) {
    add(path, value, std::move(text), path, {});
  }

  /// A figure that follows from the one at `origin`.
  void add_derived(const std::string& path, double value, std::string text,
                   const std::string& origin) {
    add(path, value, std::move(text), origin, "derived");
  }

  [[nodiscard]] Table take() { return std::move(table_); }

 private:
  void add(const std::string& path, double value, std::string text, const std::string& origin,
           const std::string& derived) {
    const auto found = device_.provenance.find(origin);
    std::string basis;
    std::vector<double> ids;
    std::string sources;
    if (found != device_.provenance.end()) {
      const bool sure = found->second.basis != "unsure";
      basis = sure && !derived.empty() ? derived : found->second.basis;
      for (const int id : found->second.sources) {
        ids.push_back(id);
        sources += fmt::format("[{}]", id);
      }
    }
    table_.rows.push_back({path, value, std::move(text), basis, sources, ids});
  }

  const Device& device_;
  Table table_{.key = "figures",
               .columns = {{"figure", "figure"},
                           {"value", "value", Unit::none, Show::machine},
                           {"text", "value"},
                           {"basis", "basis"},
                           {"source_list", "sources", Unit::none, Show::text},
                           {"sources", "sources", Unit::none, Show::machine}}};
};

Table figures_of(const Device& device) {
  Figures figures(device);
  const auto add = [&](const std::string& path, double value, std::string_view name) {
    figures.add(path, value, format_scaled(value, name));
  };
  for (const auto& [key, rate] : device.peaks) {
    const bool integer = key.type == MatrixType::int8 || key.type == MatrixType::int4;
    add("peaks." + to_string(key), rate.value(), integer ? "OP/s" : "FLOP/s");
  }
  add("memory.bandwidth", device.bandwidth.value(), "B/s");
  const auto add_size = [&](const std::string& path, Bytes size) {
    figures.add(path, size.value(), format_binary_bytes(size.value()));
  };
  if (device.capacity) add_size("memory.capacity", *device.capacity);
  if (device.usable) add_size("memory.usable", *device.usable);
  for (const auto& [level, size] : device.caches) add_size("cache." + level, size);
  if (device.interconnect) {
    const Interconnect& link = *device.interconnect;
    if (link.per_direction) {
      add("interconnect.per_direction", link.per_direction->value(), "B/s");
    }
    if (link.total) add("interconnect.total", link.total->value(), "B/s");
    if (link.joins) {
      const auto joins = static_cast<double>(*link.joins);
      figures.add("interconnect.joins", joins, format_count(joins) + " devices");
    }
    if (link.hop_latency) add("interconnect.hop_latency", link.hop_latency->value(), "s");
  }
  if (const std::optional<Link> pcie = pcie_link(device)) {
    const double rate = pcie->per_direction.value();
    figures.add_derived("pcie.per_direction", rate, format_scaled(rate, "B/s"), "pcie");
  }
  if (device.tdp) add("tdp", device.tdp->value(), "W");
  if (device.year) figures.add("year", *device.year, fmt::format("{}", *device.year));
  return figures.take();
}

Table prices_of(const Device& device) {
  Table table{.key = "prices",
              .columns = {{"usd_per_hour", "USD/hour"},
                          {"as_of", "as of"},
                          {"provider", "provider"},
                          {"tier", "tier"},
                          {"note", "note"},
                          {"source", "source", Unit::none, Show::machine}}};
  for (const Price& price : device.prices) {
    table.rows.push_back({price.per_hour.value(), price.as_of, price.provider, price.tier,
                          price.note, price.source});
  }
  return table;
}

Table sources_of(const Device& device) {
  Table table{.key = "sources",
              .columns = {{"label", "", Unit::none, Show::text},
                          {"id", "id", Unit::none, Show::machine},
                          {"title", "title", Unit::none, Show::machine},
                          {"access", "access", Unit::none, Show::machine},
                          {"url", "url"},
                          {"note", "note"}},
              .layout = Layout::blocks};
  for (const Source& source : device.sources) {
    table.rows.push_back({fmt::format("[{}] {} ({})", source.id, source.title, source.access),
                          static_cast<double>(source.id), source.title, source.access, source.url,
                          source.note});
  }
  return table;
}

/// The shortest alias that begins the name: "H100" of "H100-SXM5-80GB".
std::string short_name(const Device& device) {
  std::string best;
  for (const std::string& alias : device.aliases) {
    const bool begins = normalized_name(device.name).starts_with(normalized_name(alias));
    if (begins && (best.empty() || alias.size() < best.size())) best = alias;
  }
  return best;
}

Value text_value(const std::string& text) {
  return text.empty() ? Value() : Value(text);
}

void add_fact(Report& report, const char* label, const std::string& text) {
  if (!text.empty()) report.facts.push_back({label, text, {}});
}

/// The device in one row, in SI units: what CSV has.
Table figures_row(const Device& device) {
  Table table{.key = "results", .columns = {}, .rows = {{}}};
  const auto add = [&](std::string key, Value value) {
    if (std::holds_alternative<std::monostate>(value)) return;
    table.columns.push_back({std::move(key)});
    table.rows.front().push_back(std::move(value));
  };
  add("name", device.name);
  add("aliases", device.aliases);
  add("class", text_value(device.device_class));
  add("vendor", text_value(device.vendor));
  add("architecture", text_value(device.architecture));
  if (device.year) add("year", static_cast<double>(*device.year));
  for (const auto& [key, rate] : device.peaks) {
    add(fmt::format("peak_{}_flop_per_s", to_string(key)), rate.value());
  }
  add("bandwidth_bytes_per_s", device.bandwidth.value());
  add("memory_type", text_value(device.memory_type));
  add("memory_capacity_bytes", optional_value(device.capacity));
  add("memory_reported_bytes", optional_value(device.usable));
  add("capacity_configurable", device.capacity_configurable);
  for (const auto& [level, size] : device.caches) add("cache_" + level + "_bytes", size.value());
  if (device.interconnect) {
    add("interconnect", text_value(device.interconnect->name));
    add("interconnect_per_direction_bytes_per_s",
        optional_value(device.interconnect->per_direction));
    add("interconnect_total_bytes_per_s", optional_value(device.interconnect->total));
    const auto& joins = device.interconnect->joins;
    add("interconnect_joins", joins ? Value(static_cast<double>(*joins)) : Value());
    add("interconnect_hop_latency_s", optional_value(device.interconnect->hop_latency));
  }
  add("pcie", text_value(device.pcie));
  if (const std::optional<Link> pcie = pcie_link(device)) {
    add("pcie_per_direction_bytes_per_s", pcie->per_direction.value());
  }
  add("tdp_w", optional_value(device.tdp));
  add("tdp_is_estimate", device.tdp_is_estimate);
  add("notes", text_value(device.notes));
  return table;
}

}  // namespace

Report list_devices(const std::vector<Device>& devices) {
  Report report;
  report.command = "list devices";
  report.results = {
      .key = "results",
      .columns = {{"name", "name"},
                  {"alias", "or", Unit::none, Show::text},
                  {"aliases", "aliases", Unit::none, Show::machine},
                  {"class", "class", Unit::none, Show::machine},
                  {"vendor", "vendor", Unit::none, Show::machine},
                  {"year", "year", Unit::plain, Show::machine},
                  {"memory_capacity_bytes", "memory", Unit::bytes, Show::everywhere, "Gi"},
                  {"bandwidth_bytes_per_s", "", Unit::bytes_per_s, Show::everywhere, "G"},
                  {"peak_16bit_flop_per_s", "", Unit::flop_per_s, Show::everywhere, "T"},
                  {"peak_fp8_flop_per_s", "fp8", Unit::flop_per_s, Show::machine},
                  {"ridge_16bit_flop_per_byte", "ridge"}}};
  for (const Device& device : devices) {
    const std::optional<FlopsPerSecond> peak = peak_16_bit(device);
    report.results.rows.push_back({device.name, short_name(device), device.aliases,
                                   text_value(device.device_class), text_value(device.vendor),
                                   device.year ? Value(static_cast<double>(*device.year)) : Value(),
                                   optional_value(device.capacity), device.bandwidth.value(),
                                   optional_value(peak),
                                   optional_value(peak_of(device, MatrixType::fp8)),
                                   peak ? Value((*peak / device.bandwidth).value()) : Value()});
  }
  report.title =
      fmt::format("{} devices; TFLOP/s dense in 16 bits; roofline show device NAME has the rest",
                  devices.size());
  return report;
}

Report show_device(const Device& device, const std::string& data_source) {
  Report report;
  report.command = "show device";
  report.data_source = {{"device", data_source}};
  report.title = device.aliases.empty()
                     ? device.name
                     : fmt::format("{} (also {})", device.name, fmt::join(device.aliases, ", "));
  add_fact(report, "class", device.device_class);
  add_fact(report, "vendor", device.vendor);
  add_fact(report, "architecture", device.architecture);
  add_fact(report, "memory", device.memory_type);
  if (device.capacity_configurable) {
    add_fact(report, "capacity", "that of the largest configuration");
  }
  if (device.interconnect) add_fact(report, "interconnect", device.interconnect->name);
  add_fact(report, "pcie", device.pcie);
  if (device.tdp_is_estimate) add_fact(report, "tdp", "an estimate");
  add_fact(report, "data", data_source);
  add_fact(report, "notes", device.notes);
  report.results = figures_row(device);
  report.results_in_text = false;
  report.details = {{figures_of(device), prices_of(device), sources_of(device)}};
  return report;
}

}  // namespace roofline::report
