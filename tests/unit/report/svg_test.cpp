// The SVG picture: well-formed, where its parts are, and labels that overlap nothing. The labels'
// boxes are worked out here again, from what the elements say.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <charconv>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "report/report.hpp"
#include "report/text_width.hpp"

namespace roofline::report {
namespace {

using Attributes = std::map<std::string, std::string>;

struct Element {
  std::string name;
  Attributes attributes;
  std::string text;  ///< up to the next tag
  std::vector<std::string> parents;

  [[nodiscard]] std::string get(const std::string& key) const {
    const auto found = attributes.find(key);
    return found == attributes.end() ? std::string() : found->second;
  }
};

/// Name and attributes of what stands between < and >.
Element read_tag(const std::string& tag) {
  Element element;
  std::size_t at = std::min(tag.find_first_of(" /"), tag.size());
  element.name = tag.substr(0, at);
  while (at < tag.size() && tag[at] == ' ') {
    const std::size_t equals = tag.find('=', at);
    REQUIRE(equals != std::string::npos);
    REQUIRE(tag[equals + 1] == '"');
    const std::size_t end = tag.find('"', equals + 2);
    REQUIRE(end != std::string::npos);
    const std::string key = tag.substr(at + 1, equals - at - 1);
    CHECK(element.attributes.emplace(key, tag.substr(equals + 2, end - equals - 2)).second);
    at = end + 1;
  }
  REQUIRE((at == tag.size() || tag.substr(at) == "/"));
  return element;
}

/// All elements in their order; fails where tags do not nest.
std::vector<Element> read_xml(const std::string& xml) {
  std::vector<Element> elements;
  std::vector<std::string> open;
  std::size_t at = 0;
  while ((at = xml.find('<', at)) != std::string::npos) {
    const std::size_t end = xml.find('>', at);
    REQUIRE(end != std::string::npos);
    const std::string tag = xml.substr(at + 1, end - at - 1);
    at = end + 1;
    if (tag[0] == '/') {
      REQUIRE_FALSE(open.empty());
      REQUIRE(open.back() == tag.substr(1));
      open.pop_back();
      continue;
    }
    Element element = read_tag(tag);
    element.parents = open;
    element.text = xml.substr(at, std::min(xml.find('<', at), xml.size()) - at);
    if (tag.back() != '/') open.push_back(element.name);
    elements.push_back(std::move(element));
  }
  CHECK(open.empty());
  return elements;
}

std::vector<double> numbers(const std::string& text) {
  std::vector<double> found;
  std::size_t at = 0;
  while ((at = text.find_first_of("-0123456789", at)) != std::string::npos) {
    double value = 0;
    const auto read = std::from_chars(text.data() + at, text.data() + text.size(), value);
    found.push_back(value);
    at = static_cast<std::size_t>(read.ptr - text.data());
  }
  return found;
}

std::vector<Element> with_class(const std::vector<Element>& elements, const std::string& name) {
  std::vector<Element> found;
  for (const Element& element : elements) {
    const std::string classes = " " + element.get("class") + " ";
    if (classes.find(" " + name + " ") != std::string::npos) found.push_back(element);
  }
  return found;
}

struct Point {
  double x;
  double y;
};

/// A rectangle by its middle, halves and turn.
struct Rectangle {
  Point middle;
  double half_width;
  double half_height;
  double angle;  ///< radians

  [[nodiscard]] Point at(double u, double v) const {
    return {middle.x + u * half_width * std::cos(angle) - v * half_height * std::sin(angle),
            middle.y + u * half_width * std::sin(angle) + v * half_height * std::cos(angle)};
  }
  [[nodiscard]] bool holds(Point point) const {
    const double x = point.x - middle.x;
    const double y = point.y - middle.y;
    return std::abs(x * std::cos(angle) + y * std::sin(angle)) < half_width &&
           std::abs(y * std::cos(angle) - x * std::sin(angle)) < half_height;
  }
};

/// XML's references undone.
std::string unescaped(std::string text) {
  const std::array<std::pair<std::string, std::string>, 5> references{
      {{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&#39;", "'"}, {"&amp;", "&"}}};
  for (const auto& [reference, character] : references) {
    std::size_t at = 0;
    while ((at = text.find(reference, at)) != std::string::npos) {
      text.replace(at, reference.size(), character);
      at += 1;
    }
  }
  return text;
}

constexpr double font_size = 11;

/// What a label covers: its text's width, from 0.93 em above its baseline to 0.24 em below.
Rectangle rectangle_of(const Element& label) {
  const double half = text_width(unescaped(label.text), font_size) / 2;
  const double x = numbers(label.get("x")).at(0);
  const double y = numbers(label.get("y")).at(0);
  const std::string anchor = label.get("text-anchor");
  const double along = anchor == "middle" ? 0 : anchor == "end" ? -half : half;
  const double up = (0.93 - 0.24) / 2 * font_size;
  double angle = 0;
  if (!label.get("transform").empty()) {
    const auto turn = numbers(label.get("transform"));
    CHECK(turn.at(1) == x);
    CHECK(turn.at(2) == y);
    angle = turn.at(0) * std::acos(-1.0) / 180;
  }
  const Point middle{x + along * std::cos(angle) + up * std::sin(angle),
                     y + along * std::sin(angle) - up * std::cos(angle)};
  return {middle, half, (0.93 + 0.24) / 2 * font_size, angle};
}

/// Points of one every half pixel or so across, in the other.
bool overlap_by_points(const Rectangle& one, const Rectangle& other) {
  const double reach =
      std::hypot(one.half_width, one.half_height) + std::hypot(other.half_width, other.half_height);
  if (std::hypot(one.middle.x - other.middle.x, one.middle.y - other.middle.y) > reach) {
    return false;
  }
  constexpr int across = 24;
  const int along = static_cast<int>(one.half_width * 4) + 1;
  for (int i = 0; i <= along; ++i) {
    for (int j = 0; j <= across; ++j) {
      if (other.holds(one.at(2.0 * i / along - 1, 2.0 * j / across - 1))) return true;
    }
  }
  return false;
}

struct Picture {
  std::vector<Element> elements;
  std::vector<double> frame;  ///< x, y, width, height
  std::vector<Element> labels;
  std::vector<Element> leaders;
  std::vector<Element> markers;
};

Picture draw(const Chart& chart) {
  Picture picture;
  picture.elements = read_xml(write_svg(chart));
  picture.frame = numbers(picture.elements.at(0).get("data-frame"));
  picture.labels = with_class(picture.elements, "label");
  picture.leaders = with_class(picture.elements, "leader");
  picture.markers = with_class(picture.elements, "marker");
  return picture;
}

void check_inside(const Picture& picture, const Rectangle& rectangle) {
  for (const Point sign : {Point{-1, -1}, Point{1, -1}, Point{1, 1}, Point{-1, 1}}) {
    const Point corner = rectangle.at(sign.x, sign.y);
    CHECK(corner.x >= picture.frame[0]);
    CHECK(corner.x <= picture.frame[0] + picture.frame[2]);
    CHECK(corner.y >= picture.frame[1]);
    CHECK(corner.y <= picture.frame[1] + picture.frame[3]);
  }
}

bool runs_through(const Element& leader, const Rectangle& rectangle) {
  const double x1 = numbers(leader.get("x1")).at(0);
  const double y1 = numbers(leader.get("y1")).at(0);
  const double x2 = numbers(leader.get("x2")).at(0);
  const double y2 = numbers(leader.get("y2")).at(0);
  for (int i = 0; i <= 400; ++i) {
    if (rectangle.holds({x1 + (x2 - x1) * i / 400, y1 + (y2 - y1) * i / 400})) return true;
  }
  return false;
}

/// No label leaves the frame or overlaps a label, a marker or a leader line.
void check_labels(const Picture& picture, double marker_radius) {
  std::vector<Rectangle> placed;
  for (const Element& label : picture.labels) placed.push_back(rectangle_of(label));
  for (std::size_t i = 0; i < placed.size(); ++i) {
    CAPTURE(picture.labels[i].text);
    check_inside(picture, placed[i]);
    for (std::size_t j = 0; j < placed.size(); ++j) {
      if (i != j) CHECK_FALSE(overlap_by_points(placed[i], placed[j]));
    }
    for (const Element& marker : picture.markers) {
      const auto at = numbers(marker.get("transform"));
      CHECK_FALSE(overlap_by_points({{at[0], at[1]}, marker_radius, marker_radius, 0}, placed[i]));
    }
    for (const Element& leader : picture.leaders) CHECK_FALSE(runs_through(leader, placed[i]));
  }
}

// ---- charts ----

struct Device {
  std::string name;
  double peak;
  double bandwidth;
};

// The textbook's: dense fp16 and memory bandwidth.
const std::vector<Device> five_devices{{"T4", 65e12, 320e9},
                                       {"L4", 120e12, 300e9},
                                       {"A10G", 125e12, 600e9},
                                       {"A100", 312e12, 2039e9},
                                       {"H100", 989e12, 3350e9}};
const std::vector<std::pair<std::string, double>> five_workloads{{"prefill, batch 1", 762.46},
                                                                 {"prefill, batch 8", 2187.9},
                                                                 {"decode, batch 1", 1.0},
                                                                 {"decode, batch 32", 31.4},
                                                                 {"attention, 2048 tokens", 1024}};

Chart axes(double x_high, double y_low, double y_high) {
  Chart chart{.title = "Rooflines",
              .question = "what holds it back",
              .x = {.label = "arithmetic intensity", .unit = "FLOP/byte"},
              .y = {.label = "achievable", .unit = "FLOP/s", .scaled = true}};
  chart.x.low = 0.5;
  chart.x.high = x_high;
  chart.y.low = y_low;
  chart.y.high = y_high;
  return chart;
}

void add(Chart& chart, const Device& device) {
  const std::size_t key = chart.line_keys.size();
  const ChartPosition ridge{device.peak / device.bandwidth, device.peak};
  const double x = std::max(chart.x.low, chart.y.low / device.bandwidth);
  const ChartPosition start{x, x * device.bandwidth};
  const ChartPosition end{chart.x.high, device.peak};
  chart.line_keys.push_back({device.name, "120.0 TFLOP/s fp16, ridge 400.0; 300.0 GB/s"});
  chart.lines.push_back({.points = {start, ridge, end}, .line_key = key});
  chart.line_labels.push_back({ridge, end, device.name + " 120.0 TFLOP/s fp16", key});
  chart.line_labels.push_back({start, ridge, "300.0 GB/s", key});
  chart.line_labels.push_back({ridge, ridge, "ridge 400.0", key});
}

double roof(const Device& device, double x) {
  return std::min(device.peak, device.bandwidth * x);
}

/// Five roofs, five upright rules, their 25 crossings.
Chart devices_chart() {
  Chart chart = axes(5000, 2e11, 2e15);
  for (const Device& device : five_devices) add(chart, device);
  for (std::size_t i = 0; i < five_workloads.size(); ++i) {
    const auto& [name, x] = five_workloads[i];
    chart.point_keys.push_back({name, "31.4 FLOP/byte"});
    chart.rules.push_back({.at = x, .label = name, .point_key = i});
    for (std::size_t k = 0; k < five_devices.size(); ++k) {
      chart.markers.push_back({.at = {x, roof(five_devices[k], x)},
                               .label = "",
                               .line_key = k,
                               .point_key = i,
                               .title = name});
    }
  }
  return chart;
}

/// One roof, five labelled points.
Chart points_chart() {
  Chart chart = axes(5000, 1e12, 5e14);
  chart.color_by_point = true;
  add(chart, five_devices[3]);
  for (std::size_t i = 0; i < five_workloads.size(); ++i) {
    const auto& [name, x] = five_workloads[i];
    chart.point_keys.push_back({name, "31.4 FLOP/byte, 64.02 TFLOP/s, 6.998 ms"});
    chart.markers.push_back({.at = {x, roof(five_devices[3], x)},
                             .label = name,
                             .line_key = 0,
                             .point_key = i,
                             .title = name});
  }
  return chart;
}

/// 10 devices and 40 points, each labelled on one of them.
Chart crowded_chart() {
  Chart chart = axes(5000, 5e10, 5e15);
  for (int k = 0; k < 10; ++k) {
    add(chart, {"GPU-" + std::string(1, static_cast<char>('0' + k)), 4e13 * std::pow(1.5, k),
                2e11 * std::pow(1.45, k)});
  }
  for (std::size_t i = 0; i < 40; ++i) {
    const double x = 0.8 * std::pow(1.22, static_cast<double>(i));
    const std::string name = "decode w" + std::string(i + 1, 'x').substr(0, 12);
    chart.point_keys.push_back({name, ""});
    for (std::size_t k = 0; k < 10; ++k) {
      const double power = static_cast<double>(k);
      chart.markers.push_back(
          {.at = {x, std::min(4e13 * std::pow(1.5, power), 2e11 * std::pow(1.45, power) * x)},
           .label = k == i % 10 ? name : "",
           .line_key = k,
           .point_key = i,
           .title = name});
    }
  }
  return chart;
}

/// `count` labelled markers, `spread` decades wide and high.
Chart cloud_chart(std::size_t count, double spread, const std::string& name) {
  Chart chart = axes(5000, 1e12, 5e14);
  chart.color_by_point = true;
  add(chart, five_devices[3]);
  unsigned state = 7;
  const auto next = [&state] {
    state = state * 1664525U + 1013904223U;
    return (state >> 8) / 16777216.0;
  };
  for (std::size_t i = 0; i < count; ++i) {
    const std::string label = name + std::string(1 + i % 9, 'i');
    chart.point_keys.push_back({label, ""});
    chart.markers.push_back(
        {.at = {2 * std::pow(10, spread * next()), 2e12 * std::pow(10, spread * 0.6 * next())},
         .label = label,
         .line_key = 0,
         .point_key = i,
         .title = label});
  }
  return chart;
}

// ---- cases ----

TEST_CASE("Normal pictures leave no label out and none overlaps", "[report]") {
  SECTION("five devices and five intensities") {
    const Picture picture = draw(devices_chart());
    CHECK(picture.labels.size() == 5 * 3 + 5);
    check_labels(picture, 6);
  }
  // A100's ceiling is so short that its label comes to lie over H100's slope too.
  SECTION("three devices with long names and eight batches") {
    Chart chart = axes(1000, 2e11, 2e15);
    add(chart, {"H100-SXM5-80GB", 989.4e12, 3350e9});
    add(chart, {"A100-SXM-80GB", 312e12, 2039e9});
    add(chart, {"L4", 121e12, 300e9});
    for (const double x : {1.053, 2.069, 4.0, 7.499, 13.33, 21.81, 31.98, 41.7}) {
      chart.rules.push_back({.at = x, .label = "batch 16"});
    }
    const Picture picture = draw(chart);
    CHECK(picture.labels.size() == 3 * 3 + 8);
    check_labels(picture, 6);
  }
  SECTION("one device and five points") {
    const Picture picture = draw(points_chart());
    CHECK(picture.labels.size() == 3 + 5);
    check_labels(picture, 6);
  }
  SECTION("curves with limits") {
    Chart chart = axes(500, 50, 2e4);
    chart.line_keys = {{"H100", "memory: batch 195"}, {"A100", ""}};
    for (const std::size_t key : {0U, 1U}) {
      ChartLine line{.points = {}, .line_key = key};
      for (const double x : {1.0, 8.0, 64.0, 256.0}) {
        const double y = (key == 0 ? 1.0 : 0.6) * x / (0.0045 + x * 0.00008);
        line.points.push_back({x, y});
        chart.markers.push_back({.at = {x, y},
                                 .label = x == 1 || x == 256 ? "10,248" : "",
                                 .line_key = key,
                                 .title = "batch"});
      }
      chart.lines.push_back(line);
    }
    chart.rules.push_back({.at = 195, .label = "memory: 195", .line_key = 0});
    chart.rules.push_back({.vertical = false, .at = 5000, .label = "TPOT limit 20.0 ms"});
    const Picture picture = draw(chart);
    CHECK(picture.labels.size() == 4 + 2);
    check_labels(picture, 6);
  }
}

TEST_CASE("Labels of crowded pictures overlap nothing and stay in the frame", "[report]") {
  SECTION("ten devices and forty points") {
    const Picture picture = draw(crowded_chart());
    CHECK(picture.labels.size() > 10);
    check_labels(picture, 4.5);
  }
  SECTION("sixty points on nearly one spot") {
    const Picture picture = draw(cloud_chart(60, 0.05, "workload "));
    CHECK(picture.labels.size() > 6);
    CHECK_FALSE(picture.leaders.empty());
    check_labels(picture, 6);
  }
  SECTION("all points on one spot") {
    const Picture picture = draw(cloud_chart(40, 0, "decode "));
    CHECK(picture.labels.size() > 5);
    check_labels(picture, 6);
  }
  SECTION("long names") {
    const Picture picture =
        draw(cloud_chart(25, 2.5, "a deployment with a name that tells all there is to tell "));
    CHECK(picture.labels.size() > 5);
    check_labels(picture, 6);
  }
  SECTION("five hundred markers") {
    const Chart chart = cloud_chart(500, 3.3, "workload ");
    const Picture picture = draw(chart);
    CHECK(picture.markers.size() == 500);
    CHECK(picture.labels.size() > 10);
    check_labels(picture, 4.5);
  }
  SECTION("many rules at one place") {
    Chart chart = points_chart();
    for (int i = 0; i < 30; ++i) {
      chart.rules.push_back({.at = 20 + 0.2 * i,
                             .label = "rule " + std::string(static_cast<std::size_t>(1 + i), 'i')});
      chart.rules.push_back({.vertical = false,
                             .at = 3e13,
                             .label = std::string(static_cast<std::size_t>(1 + i), 'h')});
    }
    const Picture picture = draw(chart);
    CHECK(picture.labels.size() > 12);
    check_labels(picture, 6);
  }
}

TEST_CASE("The same text at the same spot is drawn once", "[report]") {
  Chart chart = points_chart();
  const std::size_t alone = draw(chart).labels.size();
  add(chart, five_devices[3]);  // again
  const Picture picture = draw(chart);
  CHECK(picture.labels.size() == alone);
  CHECK(with_class(picture.elements, "line").size() == 2 * (1 + 1));  // roof and ridge
}

TEST_CASE("Marks are where the axes say", "[report]") {
  Chart chart = axes(5000, 2e11, 2e15);
  chart.x.low = 1;
  chart.x.high = 10000;
  chart.y.low = 1;
  chart.y.high = 100;
  chart.markers.push_back({.at = {10, 10}, .label = "", .title = "a quarter along half up"});
  // The ridge of a peak of 50 over 5 per x: x = 10, log10(50) / 2 = 0.849485 of the height.
  chart.line_keys.push_back({"device", ""});
  chart.lines.push_back({.points = {{1, 5}, {10, 50}, {10000, 50}}});
  chart.line_labels.push_back({{10, 50}, {10, 50}, "ridge 10"});
  chart.rules.push_back({.at = 100, .label = ""});
  const Picture picture = draw(chart);
  const auto& frame = picture.frame;
  CHECK(numbers(picture.elements[0].get("data-x")) == std::vector<double>{1, 10000});
  CHECK(numbers(picture.elements[0].get("data-y")) == std::vector<double>{1, 100});
  const auto marker = numbers(picture.markers.at(0).get("transform"));
  CHECK(marker.at(0) == Approx(frame[0] + frame[2] / 4).margin(0.006));
  CHECK(marker.at(1) == Approx(frame[1] + frame[3] / 2).margin(0.006));
  const auto spot = numbers(with_class(picture.elements, "spot").at(0).get("points"));
  CHECK(spot.at(0) == Approx(frame[0] + frame[2] / 4).margin(0.006));
  CHECK(spot.at(1) == Approx(frame[1] + frame[3] * (1 - 0.849485)).margin(0.006));
  const auto line = numbers(with_class(picture.elements, "line").at(0).get("points"));
  REQUIRE(line.size() == 6);
  CHECK(line[0] == frame[0]);
  CHECK(line[1] == Approx(frame[1] + frame[3] * (1 - 0.349485)).margin(0.006));
  CHECK(line[4] == frame[0] + frame[2]);
  const Element rule = with_class(picture.elements, "rule").at(0);
  CHECK(numbers(rule.get("x1")).at(0) == Approx(frame[0] + frame[2] / 2).margin(0.006));
  CHECK(rule.get("x1") == rule.get("x2"));
}

TEST_CASE("Parts come in the order that the page relies on", "[report]") {
  const Picture picture = draw(devices_chart());
  const std::vector<Element>& all = picture.elements;
  CHECK(all.at(0).name == "svg");
  CHECK(all.at(0).get("class") == "chart");
  CHECK(all.at(0).get("aria-labelledby") == "chart-title chart-question");
  CHECK(all.at(1).get("id") == "chart-title");
  CHECK(all.at(1).text == "Rooflines");
  CHECK(all.at(2).get("id") == "chart-question");
  CHECK(all.at(3).name == "style");
  std::vector<std::string> groups;
  const std::vector<std::string> clipped{"rules", "lines", "markers"};
  for (const Element& element : all) {
    if (element.name != "g" || element.parents.size() != 1) continue;
    groups.push_back(element.get("class"));
    const bool clip = std::count(clipped.begin(), clipped.end(), groups.back()) > 0;
    CHECK(element.get("clip-path") == (clip ? "url(#frame-clip)" : ""));
  }
  CHECK(groups == std::vector<std::string>{"headings", "grid", "ticks", "rules", "lines", "markers",
                                           "labels", "legend"});
  CHECK(std::none_of(all.begin(), all.end(),
                     [](const Element& element) { return element.name == "script"; }));
}

TEST_CASE("Everything of a key says so", "[report]") {
  const Picture picture = draw(devices_chart());
  const auto count = [&](const std::string& style, const std::string& key, std::string value) {
    const auto found = with_class(picture.elements, style);
    return std::count_if(found.begin(), found.end(),
                         [&](const Element& element) { return element.get(key) == value; });
  };
  CHECK(count("line", "data-line", "3") == 2);
  CHECK(count("marker", "data-line", "3") == 5);
  CHECK(count("marker", "data-point", "2") == 5);
  CHECK(count("label", "data-line", "3") == 3);
  CHECK(count("label", "data-point", "2") == 1);
  CHECK(count("rule", "data-point", "2") == 1);
  CHECK(count("entry", "data-line", "3") == 1);
  CHECK(count("entry", "data-point", "2") == 1);
  CHECK(count("label", "data-side", "top") == 5);
  for (const Element& label : picture.labels) CHECK(numbers(label.get("data-anchor")).size() == 2);
}

TEST_CASE("Colour follows the line or the point and measured markers are hollow", "[report]") {
  Chart chart = points_chart();
  chart.markers[2].measured = true;
  CHECK(draw(chart).markers[2].get("class") == "marker c2 measured");
  chart.color_by_point = false;
  CHECK(draw(chart).markers[2].get("class") == "marker c0 measured");
  chart.markers[2].line_key.reset();
  CHECK(draw(chart).markers[2].get("class") == "marker c measured");
}

TEST_CASE("Names from files stay text", "[report]") {
  const std::string name = "<script>alert(1)</script>&\"'";
  Chart chart = points_chart();
  chart.title = name;
  chart.question = name;
  chart.x.label = name;
  chart.y.label = name;
  chart.line_keys_title = name;
  chart.line_keys[0] = {name, name};
  chart.point_keys[0] = {name, name};
  chart.markers[0].label = name;
  chart.markers[0].title = name + "\x01\xff";
  chart.markers[0].figures = {{name, name}};
  chart.line_labels[0].text = name;
  chart.rules.push_back({.at = 10, .label = name});
  const Picture picture = draw(chart);
  CHECK(picture.elements[1].text == "&lt;script&gt;alert(1)&lt;/script&gt;&amp;&quot;&#39;");
  CHECK(std::none_of(picture.elements.begin(), picture.elements.end(),
                     [](const Element& element) { return element.name == "script"; }));
  CHECK(unescaped(picture.markers[0].get("aria-label")) ==
        name + "\ufffd\ufffd, " + name + ": " + name);
  check_labels(picture, 6);
}

TEST_CASE("A marker says its figures", "[report]") {
  Chart chart = points_chart();
  chart.markers[0].title = "decode on A100";
  chart.markers[0].figures = {{"intensity", "31.4 FLOP/byte"}, {"time", "6.998 ms"}};
  const Picture picture = draw(chart);
  CHECK(picture.markers[0].get("aria-label") ==
        "decode on A100, intensity: 31.4 FLOP/byte, time: 6.998 ms");
  CHECK(picture.markers[0].get("tabindex") == "0");
  const auto title = std::find_if(
      picture.elements.begin(), picture.elements.end(),
      [](const Element& element) { return element.name == "title" && element.parents.size() > 1; });
  REQUIRE(title != picture.elements.end());
  CHECK(title->text == "decode on A100\nintensity: 31.4 FLOP/byte\ntime: 6.998 ms");
}

TEST_CASE("The legend has all keys and lies within the picture", "[report]") {
  const Chart chart = GENERATE(devices_chart(), points_chart(), crowded_chart(),
                               cloud_chart(500, 3, "workload with a long name "));
  const Picture picture = draw(chart);
  CHECK(with_class(picture.elements, "entry").size() ==
        chart.line_keys.size() + chart.point_keys.size());
  const auto size = numbers(picture.elements[0].get("viewBox"));
  CHECK(size.at(2) == 960);
  CHECK(size.at(3) >= 600);
  double last_y = 0;
  for (const std::string style : {"name", "detail", "heading"}) {
    for (const Element& text : with_class(picture.elements, style)) {
      const double x = numbers(text.get("x")).at(0);
      const double y = numbers(text.get("y")).at(0);
      const double pixels = style == "detail" ? 10.5 : style == "name" ? 12 : 11.5 * bold_factor;
      CHECK(x + text_width(unescaped(text.text), pixels) <= 960);
      last_y = std::max(last_y, y);
    }
  }
  CHECK(last_y < size.at(3));
}

TEST_CASE("Ticks have room and the frame grows with nothing in the legend", "[report]") {
  Chart chart = axes(5000, 2e11, 2e15);
  chart.line_keys_title = "";
  const Picture bare = draw(chart);
  const Picture full = draw(devices_chart());
  CHECK(bare.frame[2] > full.frame[2] + 100);
  chart.x = {.label = "context", .unit = "tokens", .low = 1e-9, .high = 1e15};
  chart.y = {.label = "cost", .unit = "USD", .low = 2, .high = 5};
  const Picture wide = draw(chart);
  double end = -1e9;
  for (const Element& tick : with_class(wide.elements, "tick")) {
    if (tick.get("text-anchor") != "middle") continue;
    const double half = text_width(tick.text, font_size) / 2;
    const double x = numbers(tick.get("x")).at(0);
    CHECK(x - half > end);
    CHECK(x + half <= 960);
    end = x + half;
  }
  CHECK(end > 0);
}

TEST_CASE("Numbers are short and the bytes the same every time", "[report]") {
  const std::string svg = write_svg(devices_chart());
  CHECK(svg == write_svg(devices_chart()));
  CHECK(svg.back() == '\n');
  CHECK(svg.find("\"-0\"") == std::string::npos);
  for (const Element& element : read_xml(svg)) {
    for (const std::string key : {"x", "y", "x1", "y1", "x2", "y2", "points", "transform"}) {
      const std::string value = element.get(key);
      std::size_t at = 0;
      while ((at = value.find('.', at)) != std::string::npos) {
        const std::size_t end =
            std::min(value.find_first_not_of("0123456789", at + 1), value.size());
        CHECK(end - at - 1 <= 2);
        at = end;
      }
    }
  }
}

}  // namespace
}  // namespace roofline::report
