"""Checks what plot draws: its figures by what analyze says and by formulas, and where they lie in
the SVG by a logarithmic mapping of its own.

usage: check_pictures.py PROGRAM SOURCE_DIR
"""
import functools
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ET

sys.dont_write_bytecode = True

from program import (FILES, MY_GPU, PREFIXES, PROGRAM, close, load, output, result, roofline, run,
                     shows)
from questions import CURVES, PLOTS, ROOFLINES

SVG = "{http://www.w3.org/2000/svg}"
OF_PLOT = ["--ceilings", "--measured", "--mark", "--x", "--y", "--tpot-limit"]
X_KEYS = {"batch": "batch", "context": "context_tokens"}
Y_KEYS = {"intensity": "intensity_flop_per_byte", "throughput": "throughput_tok_per_s",
          "tpot": "roofline_time_s", "cost": "usd_per_million_tokens"}
USUAL = {"batch": ["-b", "1..1024x2"], "context": ["-c", "512..131072x2"]}
FLAGS = {"batch": "-b", "context": "-c"}
TOLERANCE = 0.02  # px: coordinates have two decimals


def without(arguments, flags):
    """The flags of a question but for these, which all have a value; without the command."""
    left, words = [], iter(arguments[1:])
    for word in words:
        if word in flags:
            next(words)
        else:
            left.append(word)
    return left


def drawn_x(document):
    return document["inputs"].get("x")


def analyzed(arguments):
    """The rows of analyze for the same question, which has more points than one."""
    flags, x = without(arguments, OF_PLOT), drawn_x(output(arguments))
    if x and FLAGS[x] not in flags:
        flags += USUAL[x]
    rows = output(["analyze", *flags])["results"]
    for row in rows:
        row.pop("operators", None)
        row.pop("improvements", None)
    return rows


def facts(row, leave=()):
    """A row in its order, to compare digit for digit; plot has notes of its own."""
    return [(key, json.dumps(value)) for key, value in row.items()
            if key not in ("notes", *leave)]


def grouped(rows, key):
    """Neighbours of the same key together."""
    groups = []
    for row in rows:
        if not groups or key(groups[-1][-1]) != key(row):
            groups.append([])
        groups[-1].append(row)
    return groups


class Rows(unittest.TestCase):
    def test_points_are_those_of_analyze(self):
        compared = 0
        for arguments in ROOFLINES:
            rows = output(arguments)["results"]
            with self.subTest(" ".join(arguments)):
                added = ("measured_flop_per_s", "measured_time_s", "measured_share")
                self.assertEqual([facts(row) for row in analyzed(arguments)],
                                 [facts(row, added) for row in rows])
                compared += len(rows)
        self.assertGreater(compared, 100)

    def test_points_of_curves_are_those_of_analyze(self):
        """Curve by curve, x rising."""
        for arguments in CURVES:
            document = output(arguments)
            rows, x = document["results"], X_KEYS[drawn_x(document)]
            added = () if "--price" in arguments else ("usd_per_million_tokens",)
            with self.subTest(" ".join(arguments)):
                self.assertEqual(sorted(map(facts, analyzed(arguments))),
                                 sorted(facts(row, added) for row in rows))
                for curve in curves_of(document):
                    values = [row[x] for row in curve]
                    self.assertEqual(sorted(set(values)), values)
                    self.assertGreater(len(values), 1)

    def test_costs_follow(self):
        priced = 0
        for arguments in CURVES:
            document = output(arguments)
            if document["inputs"]["y"] != "cost":
                continue
            for row in document["results"]:
                with self.subTest(" ".join(arguments), gpu=row["gpu"], batch=row["batch"]):
                    price = document["inputs"].get("price_usd_per_hour") or usual_price(row["gpu"])
                    devices = row["tp"] * row["pp"] * row["dp"]
                    self.assertTrue(close(price * devices / 3600 * 1e6 /
                                          row["throughput_tok_per_s"],
                                          row["usd_per_million_tokens"]))
                    priced += 1
        self.assertGreater(priced, 30)

    def test_measurements_follow(self):
        measured = []
        for arguments in ROOFLINES:
            document = output(arguments)
            for row in document["results"]:
                if "measured_flop_per_s" not in row:
                    continue
                rate = row["measured_flop_per_s"]
                measured.append(rate)
                with self.subTest(" ".join(arguments), gpu=row["gpu"], batch=row["batch"]):
                    self.assertTrue(close(row["flop"], rate * row["measured_time_s"]))
                    self.assertTrue(close(rate / row["achievable_flop_per_s"],
                                          row["measured_share"]))
                    self.assertEqual(row["measured_share"] > 1,
                                     any("faster than the roofline" in note
                                         for note in row["notes"]))
        self.assertEqual(4, len(measured))
        rows = output(["plot", "-g", "H100", "-b", "1,8,32", "--measured",
                       "9.1ms,none,65TFLOP/s"])["results"]
        self.assertEqual([0.0091, None], [row.get("measured_time_s") for row in rows[:2]])
        self.assertEqual(65e12, rows[2]["measured_flop_per_s"])


@functools.lru_cache(maxsize=None)
def usual_price(gpu):
    return result(["compare", "-g", gpu, "-m", "gpt2"])["price_usd_per_hour"]


def curves_of(document):
    """The rows of each curve."""
    x = X_KEYS[drawn_x(document)]
    other = X_KEYS["context" if drawn_x(document) == "batch" else "batch"]
    curves = grouped(document["results"],
                     lambda row: (row["gpu"], row.get("model"), row["workload"], row.get(other)))
    return [part for curve in curves for part in rising(curve, x)]


def rising(rows, x):
    parts = [[rows[0]]]
    for row in rows[1:]:
        if row[x] <= parts[-1][-1][x]:
            parts.append([])
        parts[-1].append(row)
    return parts


class Roofs(unittest.TestCase):
    def test_ridges_follow(self):
        for arguments in ROOFLINES:
            for roof in output(arguments)["roofs"]:
                with self.subTest(" ".join(arguments), roof=roof):
                    self.assertTrue(close(roof["peak_flop_per_s"] / roof["bandwidth_bytes_per_s"],
                                          roof["ridge_flop_per_byte"]))

    def test_peaks_are_those_of_the_device(self):
        for arguments in ROOFLINES:
            if "--peak" in arguments or "--bandwidth" in arguments or "--spec" in arguments:
                continue
            document = output(arguments)
            asked = document["inputs"].get("ceilings", [])
            asked = [asked] if isinstance(asked, str) else asked
            for gpu, roofs in by_gpu(document["roofs"]):
                device = result(["show", "device", gpu if gpu != "My GPU" else MY_GPU])
                peaks = {match[1]: value for key, value in device.items()
                         if (match := re.fullmatch(r"peak_(.*)_flop_per_s", key))}
                drawn = {roof["peak_type"]: roof["peak_flop_per_s"] for roof in roofs}
                used = {roof["peak_type"] for roof in roofs if roof["used"]}
                with self.subTest(" ".join(arguments), gpu=gpu):
                    self.assertEqual(len(roofs), len(drawn))
                    self.assertEqual({key: peaks.get(key) for key in drawn}, drawn)
                    wanted = set(peaks) if asked == ["all"] else set(asked) & set(peaks)
                    self.assertEqual(used | wanted, set(drawn))
                    self.assertEqual(sorted(drawn.values()), list(drawn.values()))
                    self.assertEqual({device["bandwidth_bytes_per_s"]},
                                     {roof["bandwidth_bytes_per_s"] for roof in roofs})

    def test_used_peaks_are_those_that_points_run_at(self):
        """By the operators of each point, asked alone; of kernels the only peak is the point's."""
        several = 0
        for arguments in ROOFLINES:
            document = output(arguments)
            for gpu, roofs in by_gpu(document["roofs"]):
                used = {roof["peak_type"]: roof["peak_flop_per_s"] for roof in roofs
                        if roof["used"]}
                several += len(used) > 1
                rows = [row for row in document["results"] if row["gpu"] == gpu]
                with self.subTest(" ".join(arguments), gpu=gpu):
                    self.assertTrue(used)
                    for row in rows:
                        peak = row["effective_peak_flop_per_s"]
                        self.assertLessEqual(min(used.values()), peak * (1 + 1e-12))
                        self.assertGreaterEqual(max(used.values()), peak * (1 - 1e-12))
                    if len(rows) == 1 and "model" in rows[0]:
                        self.check_operators(arguments, gpu, set(used))
        self.assertGreater(several, 1)

    def check_operators(self, arguments, gpu, used):
        flags = without(arguments, [*OF_PLOT, "-g"])
        gpu = MY_GPU if gpu == "My GPU" else gpu
        operators = result(["analyze", *flags, "-g", gpu])["operators"]
        self.assertEqual({operator["peak_type"] for operator in operators if operator["flop"] > 0},
                         used)


def by_gpu(rows):
    return [(group[0]["gpu"], group) for group in grouped(rows, lambda row: row["gpu"])]


class Limits(unittest.TestCase):
    def step(self, arguments, limit, x, value):
        """analyze of a limit's curve at another x."""
        flags = without(arguments, [*OF_PLOT, "-g", "-m", "-b", "-c"])
        at = {key: str(limit[column]) for key, column in X_KEYS.items() if column in limit}
        at[x] = str(value)
        words = [word for key, number in at.items() for word in (FLAGS[key], number)]
        return result(["analyze", *flags, "-g", limit["gpu"], "-m", limit["model"], *words])

    def check_largest(self, arguments, limit, holds):
        """Nothing holds at 0, everything at null, and what is named is the last that holds."""
        x = drawn_x(output(arguments))
        largest = limit[X_KEYS[x]]
        if largest is None:
            self.assertTrue(holds(self.step(arguments, limit, x, 10**9)))
            return
        if largest > 0:
            self.assertTrue(holds(self.step(arguments, limit, x, largest)))
        self.assertFalse(holds(self.step(arguments, limit, x, largest + 1)))

    def test_limits_hold(self):
        seen = set()
        for arguments in CURVES:
            document = output(arguments)
            tpot_limit = document["inputs"].get("tpot_limit_s")
            for limit in document.get("limits", []):
                with self.subTest(" ".join(arguments), limit=limit):
                    kind = limit["limit"]
                    largest = limit.get(X_KEYS[drawn_x(document)], "y")
                    seen.add((kind, largest if largest in (0, None, "y") else "x"))
                    if kind == "memory":
                        self.check_largest(arguments, limit, lambda row: row["fits"])
                    elif kind == "tpot-limit" and "tpot_s" in limit:
                        self.assertEqual(tpot_limit, limit["tpot_s"])
                    elif kind == "tpot-limit":
                        self.check_largest(arguments, limit,
                                           lambda row: row["roofline_time_s"] <= tpot_limit)
        self.assertEqual({("ridge", "y"), ("tpot-limit", "y"), ("memory", "x"), ("memory", 0),
                          ("memory", None), ("tpot-limit", "x"), ("tpot-limit", 0),
                          ("tpot-limit", None)}, seen)

    def test_every_curve_has_its_limits(self):
        for arguments in CURVES:
            document = output(arguments)
            inputs, limits = document["inputs"], iter(document.get("limits", []))
            with self.subTest(" ".join(arguments)):
                names = {}
                for curve in curves_of(document):
                    wanted = ["ridge"] if inputs["y"] == "intensity" else []
                    if curve[0].get("fits") is not None:
                        wanted.append("memory")
                    if "tpot_limit_s" in inputs:
                        wanted.append("tpot-limit")
                    for kind in wanted:
                        limit = next(limits)
                        self.assertEqual(
                            (kind, curve[0]["gpu"], curve[0].get("model")),
                            (limit["limit"], limit["gpu"], limit.get("model")))
                        names.setdefault(limit["curve"], id(curve))
                        self.assertEqual(id(curve), names[limit["curve"]])
                        if kind == "ridge":
                            self.assertEqual(curve[-1]["ridge_flop_per_byte"],
                                             limit["ridge_flop_per_byte"])
                self.assertIsNone(next(limits, None))


class Picture:
    """An SVG, and where values lie in it."""
    def __init__(self, text):
        self.root = ET.fromstring(text)
        self.left, self.top, self.width, self.height = self.numbers("data-frame")
        self.right, self.bottom = self.left + self.width, self.top + self.height
        self.x_ends, self.y_ends = self.numbers("data-x"), self.numbers("data-y")

    def numbers(self, name):
        return [float(word) for word in self.root.get(name).split()]

    def x(self, value):
        low, high = self.x_ends
        return self.left + self.width * math.log(value / low) / math.log(high / low)

    def y(self, value):
        low, high = self.y_ends
        return self.bottom - self.height * math.log(value / low) / math.log(high / low)

    def x_value(self, x):
        low, high = self.x_ends
        return low * (high / low) ** ((x - self.left) / self.width)

    def y_value(self, y):
        low, high = self.y_ends
        return low * (high / low) ** ((self.bottom - y) / self.height)

    def group(self, name):
        return next(one for one in self.root.iter(SVG + "g") if one.get("class") == name)

    def markers(self):
        return list(self.group("markers"))

    def lines(self, spots=False):
        return [line for line in self.group("lines")
                if ("spot" in line.get("class").split()) == spots]


def points_of(line):
    return [tuple(map(float, point.split(","))) for point in line.get("points").split()]


def place_of(marker):
    return tuple(map(float, re.fullmatch(r"translate\((\S+) (\S+)\)",
                                         marker.get("transform")).groups()))


@functools.lru_cache(maxsize=None)
def drawn(arguments):
    return Picture(roofline(arguments, "svg"))


def picture(arguments):
    return drawn(tuple(arguments))


class Geometry(unittest.TestCase):
    def assert_at(self, wanted, found, what=None):
        self.assertLess(max(abs(one - other) for one, other in zip(wanted, found)), TOLERANCE,
                        (what, wanted, found))

    def in_frame(self, svg, x, y):
        return (svg.left - TOLERANCE <= x <= svg.right + TOLERANCE and
                svg.top - TOLERANCE <= y <= svg.bottom + TOLERANCE)

    def test_markers_lie_at_their_figures(self):
        """Points in the order of the rows, then what was measured."""
        for arguments in PLOTS:
            document, svg = output(arguments), picture(arguments)
            x, y = "intensity_flop_per_byte", "achievable_flop_per_s"
            if drawn_x(document):
                x, y = X_KEYS[drawn_x(document)], Y_KEYS[document["inputs"]["y"]]
            rows, free = document["results"], document.get("measured", [])
            wanted = [(row[x], row[y], False) for row in rows]
            wanted += [(row[x], row["measured_flop_per_s"], True) for row in rows + free
                       if "measured_flop_per_s" in row]
            with self.subTest(" ".join(arguments)):
                markers = svg.markers()
                self.assertEqual(len(wanted), len(markers))
                for (at_x, at_y, hollow), marker in zip(wanted, markers):
                    self.assert_at((svg.x(at_x), svg.y(at_y)), place_of(marker),
                                   marker.get("aria-label"))
                    self.assertEqual(hollow, "measured" in marker.get("class").split())

    def test_markers_belong_to_their_device_and_workload(self):
        for arguments in ROOFLINES:
            document, svg = output(arguments), picture(arguments)
            gpus = [gpu for gpu, _ in by_gpu(document["roofs"])]
            keys = {}
            for row, marker in zip(document["results"], svg.markers()):
                with self.subTest(" ".join(arguments), gpu=row["gpu"], workload=row["workload"]):
                    self.assertEqual(gpus.index(row["gpu"]), int(marker.get("data-line")))
                    intensity = row["intensity_flop_per_byte"]
                    key = keys.setdefault((marker.get("data-point"), row["gpu"]), intensity)
                    self.assertEqual(key, intensity)

    def test_roofs_have_their_knee_at_the_ridge(self):
        for arguments in ROOFLINES:
            document, svg = output(arguments), picture(arguments)
            gpus = [gpu for gpu, _ in by_gpu(document["roofs"])]
            lines, spots = svg.lines(), svg.lines(spots=True)
            self.assertEqual(len(document["roofs"]), len(lines), arguments)
            slopes = 0
            for roof, line in zip(document["roofs"], lines):
                with self.subTest(" ".join(arguments), roof=roof):
                    ridge = svg.x(roof["ridge_flop_per_byte"]), svg.y(roof["peak_flop_per_s"])
                    *slope, knee, end = points_of(line)
                    device = gpus.index(roof["gpu"])
                    self.assertEqual(device, int(line.get("data-line")))
                    self.assert_at(ridge, knee)
                    self.assert_at((svg.right, ridge[1]), end)
                    dots = [spot for spot in spots if int(spot.get("data-line")) == device]
                    self.assertTrue(any(math.dist(points_of(dot)[0], ridge) < 2 * TOLERANCE
                                        for dot in dots))
                    self.assertLessEqual(len(slope), 1)
                    for x, y in slope:
                        # Both are rounded: a steep slope shows it in y, a flat one in x.
                        bandwidth = roof["bandwidth_bytes_per_s"]
                        self.assertLess(min(abs(svg.y(svg.x_value(x) * bandwidth) - y),
                                            abs(svg.x(svg.y_value(y) / bandwidth) - x)), TOLERANCE)
                        slopes += x < svg.left + TOLERANCE or y > svg.bottom - TOLERANCE
                    if roof["used"]:
                        self.assertNotIn("dashed", line.get("class").split())
            self.assertEqual(len(gpus), slopes, arguments)  # one a device reaches the frame

    def test_points_lie_under_their_roof(self):
        for arguments in ROOFLINES:
            document = output(arguments)
            roofs = dict(by_gpu(document["roofs"]))
            for row in document["results"]:
                rates = [min(roof["peak_flop_per_s"], row["intensity_flop_per_byte"] *
                             roof["bandwidth_bytes_per_s"]) for roof in roofs[row["gpu"]]]
                self.assertLessEqual(row["achievable_flop_per_s"], max(rates) * (1 + 1e-12))

    def test_curves_go_through_their_points(self):
        """Dashed where one end does not fit."""
        for arguments in CURVES:
            document, svg = output(arguments), picture(arguments)
            x, y = X_KEYS[drawn_x(document)], Y_KEYS[document["inputs"]["y"]]
            pieces = {}
            for line in svg.lines():
                points = points_of(line)
                for pair in zip(points, points[1:]):
                    pieces.setdefault(int(line.get("data-line")), []).append(
                        (pair, "dashed" in line.get("class").split()))
            with self.subTest(" ".join(arguments)):
                curves = curves_of(document)
                self.assertEqual(list(range(len(curves))), sorted(pieces))
                for number, curve in enumerate(curves):
                    self.assertEqual(len(curve) - 1, len(pieces[number]))
                    for one, other, (pair, dashed) in zip(curve, curve[1:], pieces[number]):
                        for row, point in zip((one, other), pair):
                            self.assert_at((svg.x(row[x]), svg.y(row[y])), point)
                        self.assertEqual(False in (one.get("fits"), other.get("fits")), dashed)

    def test_rules_stand_at_their_values(self):
        intensities = 0
        for arguments in PLOTS:
            document, svg = output(arguments), picture(arguments)
            vertical, level = set(), set()
            for rule in svg.group("rules"):
                x1, y1, x2, y2 = (float(rule.get(name)) for name in ("x1", "y1", "x2", "y2"))
                if x1 == x2:
                    self.assert_at((svg.top, svg.bottom), sorted((y1, y2)))
                    vertical.add(x1)
                else:
                    self.assertEqual(y1, y2)
                    self.assert_at((svg.left, svg.right), (x1, x2))
                    level.add(y1)
            across, upright = [], []
            if not drawn_x(document):
                several = len(by_gpu(document["roofs"])) > 1
                rows = document["results"]
                lines = (svg.group("rules").find(SVG + "line") is not None)
                asked = {"lines": True, "points": False}.get(
                    arguments[arguments.index("--mark") + 1] if "--mark" in arguments else None)
                if asked is not None:
                    self.assertEqual(asked, lines)
                elif not several:
                    self.assertFalse(lines)
                if lines:
                    # A workload has a line where its first point is.
                    first = {}
                    for row, marker in zip(rows, svg.markers()):
                        first.setdefault(marker.get("data-point"), row["intensity_flop_per_byte"])
                    across = list(first.values())
                    intensities += len(across)
            else:
                key = X_KEYS[drawn_x(document)]
                for limit in document.get("limits", []):
                    value = limit.get("ridge_flop_per_byte", limit.get("tpot_s"))
                    if value is not None:
                        upright.append(value)
                    elif limit[key] and svg.x_ends[0] <= limit[key] <= svg.x_ends[1]:
                        across.append(limit[key])
            with self.subTest(" ".join(arguments)):
                self.same_places([svg.x(value) for value in across], vertical)
                self.same_places([svg.y(value) for value in upright], level)
        self.assertGreater(intensities, 5)

    def same_places(self, wanted, found):
        for one, others in ((wanted, found), (found, wanted)):
            for place in one:
                self.assertTrue(any(abs(place - other) < TOLERANCE for other in others),
                                (place, others))

    def test_nothing_leaves_the_frame(self):
        for arguments in PLOTS:
            svg = picture(arguments)
            width, height = float(svg.root.get("width")), float(svg.root.get("height"))
            places = [place_of(marker) for marker in svg.markers()]
            for line in [*svg.lines(), *svg.lines(spots=True)]:
                places += points_of(line)
            for name in ("rules", "grid"):
                for line in svg.group(name):
                    places += [(float(line.get("x" + end)), float(line.get("y" + end)))
                               for end in "12"]
            places += [tuple(map(float, label.get("data-anchor").split()))
                       for label in svg.group("labels") if label.get("data-anchor")]
            with self.subTest(" ".join(arguments)):
                self.assertEqual([], [place for place in places if not self.in_frame(svg, *place)])
                for text in svg.root.iter(SVG + "text"):
                    x, y = float(text.get("x")), float(text.get("y"))
                    self.assertTrue(0 <= x <= width and 0 <= y <= height, text.text)
                self.assertEqual(f"0 0 {width:g} {height:g}", svg.root.get("viewBox"))

    def test_axes_are_round_and_have_room(self):
        for arguments in PLOTS:
            svg = picture(arguments)
            with self.subTest(" ".join(arguments)):
                for end in svg.x_ends + svg.y_ends:
                    self.assertIn(f"{end:.9e}"[0:11], ("1.000000000", "2.000000000",
                                                       "5.000000000"))
                for marker in svg.markers():
                    x, y = place_of(marker)
                    self.assertTrue(svg.left < x < svg.right and svg.top < y < svg.bottom)

    def test_grid_and_ticks_are_where_their_numbers_are(self):
        for arguments in PLOTS:
            svg = picture(arguments)
            with self.subTest(" ".join(arguments)):
                found = {"x": set(), "y": set()}
                for line in svg.group("grid"):
                    upright = line.get("x1") == line.get("x2")
                    axis = "x" if upright else "y"
                    value = (svg.x_value(float(line.get("x1"))) if upright
                             else svg.y_value(float(line.get("y1"))))
                    power = math.floor(math.log10(value) + 1e-3)
                    digit = round(value / 10 ** power)
                    exact = digit * 10.0 ** power
                    place = float(line.get(axis + "1"))
                    self.assert_at((getattr(svg, axis)(exact),), (place,))
                    major = line.get("class") == "major"
                    self.assertIn((digit, major), {(1, True), (2, True), (5, True)} | {
                        (other, False) for other in range(2, 10)})
                    found[axis].add((digit, power))
                for axis, (low, high) in (("x", svg.x_ends), ("y", svg.y_ends)):
                    within = {(digit, power)
                              for power in range(math.floor(math.log10(low)) - 1,
                                                 math.ceil(math.log10(high)) + 1)
                              for digit in range(1, 10)
                              if low * (1 + 1e-9) < digit * 10.0 ** power < high * (1 - 1e-9)}
                    if math.log10(high / low) <= 12:
                        self.assertLessEqual(within, found[axis])
                self.check_ticks(svg)

    def check_ticks(self, svg):
        """Text is at ends of the axes, and at major lines alone."""
        units = set()
        major = {"x": [svg.left, svg.right], "y": [svg.top, svg.bottom]}
        for line in svg.group("grid"):
            axis = "x" if line.get("x1") == line.get("x2") else "y"
            if line.get("class") == "major":
                major[axis].append(float(line.get(axis + "1")))
        for tick in svg.group("ticks"):
            if tick.get("class") != "tick":
                continue
            number, prefix, unit = re.fullmatch(r"([\d.,e+-]+)(?: ([numkMGTPE]?)(\S+))?",
                                                tick.text).groups()
            value = float(number.replace(",", "")) * PREFIXES.get(prefix, 1)
            units.add(unit)
            if tick.get("text-anchor") == "middle":
                self.assert_at((svg.x(value),), (float(tick.get("x")),), tick.text)
                self.assertTrue(any(abs(svg.x(value) - place) < TOLERANCE for place in major["x"]))
            else:
                self.assertTrue(any(abs(svg.y(value) - place) < TOLERANCE for place in major["y"]))
                # Text hangs about its middle, some pixels under it.
                self.assertTrue(0 < float(tick.get("y")) - svg.y(value) < 8, tick.text)
        self.assertLessEqual(len(units), 2)


class Titles(unittest.TestCase):
    KEYS = {"intensity": "intensity_flop_per_byte", "ridge": "ridge_flop_per_byte",
            "achievable": "achievable_flop_per_s", "roofline time": "roofline_time_s",
            "throughput": "throughput_tok_per_s", "arithmetic intensity": "intensity_flop_per_byte",
            "TPOT": "roofline_time_s", "cost": "usd_per_million_tokens", "batch": "batch",
            "context": "context_tokens", "measured": "measured_flop_per_s",
            "time": "measured_time_s"}
    UNITS = {"_flop_per_byte": "FLOP/byte", "_flop_per_s": "FLOP/s", "_tok_per_s": "tok/s",
             "_s": "s", "usd_per_million_tokens": "USD per 1M tokens"}

    def check_figure(self, name, text, row):
        if name == "verdict":
            self.assertEqual(row["verdict"], text)
        elif name == "bound":
            self.assertEqual(row["verdict"].removesuffix("-bound"), text)
        elif name == "fits":
            self.assertEqual({True: "yes", False: "no", None: "not known"}[row["fits"]], text)
        elif name == "of the roofline":
            number = re.fullmatch(r"([\d.,e+]+) %", text)[1]
            self.assertTrue(math.isclose(float(number.replace(",", "")),
                                         100 * row["measured_share"], rel_tol=0.051), text)
        else:
            key = self.KEYS[name]
            number, prefix, unit = re.fullmatch(r"([\d.,]+)(?: ([numkMGTPE]?)(\S.*))?",
                                                text).groups()
            wanted = next((self.UNITS[end] for end in self.UNITS if key.endswith(end)), None)
            if unit is not None and prefix + unit == wanted:
                prefix, unit = "", wanted
            self.assertEqual(wanted, unit)
            self.assertTrue(shows(number, row[key] / PREFIXES.get(prefix, 1)), (name, text))
            if key not in X_KEYS.values():  # four digits at least, as text has them
                self.assertGreaterEqual(len(re.sub(r"[.,]|^[0.]+", "", number)), 4, text)

    def test_titles_say_what_json_says(self):
        checked = set()
        for arguments in PLOTS:
            document = output(arguments)
            rows = document["results"]
            measured = [row for row in rows + document.get("measured", [])
                        if "measured_flop_per_s" in row]
            for row, marker in zip(rows + measured, picture(arguments).markers()):
                title = marker.find(SVG + "title").text
                with self.subTest(" ".join(arguments), title=title):
                    heading, *lines = title.split("\n")
                    self.assertEqual(", ".join([heading, *lines]), marker.get("aria-label"))
                    self.assertIn(row.get("gpu", row.get("name")), self.heading_of(
                        document, heading))
                    self.assertGreaterEqual(len(lines), 2)
                    for line in lines:
                        name, text = line.split(": ")
                        self.check_figure(name, text, row)
                        checked.add(name)
        self.assertEqual({*self.KEYS, "verdict", "bound", "fits", "of the roofline"}, checked)

    def heading_of(self, document, heading):
        """Curves of one device do not name it."""
        gpus = {row["gpu"] for row in document["results"]}
        return heading if len(gpus) > 1 or not drawn_x(document) else heading + " ".join(gpus)

    def test_legend_and_labels_say_what_json_says(self):
        for arguments in ROOFLINES:
            document, svg = output(arguments), picture(arguments)
            entries = [entry for entry in svg.group("legend") if entry.get("class") == "entry"]
            devices = [entry for entry in entries if entry.get("data-line") is not None]
            gpus = by_gpu(document["roofs"])
            if len(devices) != len(gpus):  # so many that the legend names the first alone
                self.assertGreater(len(gpus), 16)
            for (_, roofs), entry in zip(gpus, devices):
                detail = " ".join(text.text for text in entry if text.get("class") == "detail")
                with self.subTest(" ".join(arguments), detail=detail):
                    if not detail:  # no room for details
                        continue
                    found = re.findall(r"([\d.,]+) (\w?)FLOP/s (\w+), ridge ([\d.,]+);", detail)
                    kinds = [roof["peak_type"] for roof in roofs]
                    cut = detail.endswith("…")
                    self.assertEqual(kinds[:len(found)] if cut else kinds,
                                     [kind for _, _, kind, _ in found])
                    self.assertTrue(found)
                    for roof, (peak, prefix, _, ridge) in zip(roofs, found):
                        self.assertTrue(shows(peak, roof["peak_flop_per_s"] / PREFIXES[prefix]))
                        self.assertTrue(shows(ridge, roof["ridge_flop_per_byte"]))
                    if cut:
                        continue
                    rate, prefix = re.search(r"([\d.,]+) (\w?)B/s$", detail).groups()
                    self.assertTrue(shows(rate, roofs[0]["bandwidth_bytes_per_s"] /
                                          PREFIXES[prefix]))


class Bytes(unittest.TestCase):
    def test_same_bytes_on_every_run_and_in_every_locale(self):
        for arguments in PLOTS:
            for form in ("svg", "html", "text"):
                with self.subTest(" ".join(arguments), form=form):
                    asked = [PROGRAM, *arguments, "-f", form]
                    there = {**os.environ, "LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8"}
                    first = roofline(arguments, form)
                    again = subprocess.run(asked, capture_output=True, check=False, env=there)
                    self.assertEqual(first.encode(), again.stdout)

    def test_the_page_has_the_same_picture(self):
        for arguments in PLOTS:
            with self.subTest(" ".join(arguments)):
                svg, page = roofline(arguments, "svg"), roofline(arguments, "html")
                self.assertTrue(svg.startswith("<svg ") and svg.endswith("</svg>\n"))
                self.assertEqual(1, page.count(svg))
                self.assertEqual(1, page.count("<svg "))

    def test_pictures_load_nothing(self):
        for arguments in PLOTS:
            svg, page = roofline(arguments, "svg"), roofline(arguments, "html")
            with self.subTest(" ".join(arguments)):
                self.assertEqual(["http://www.w3.org/2000/svg"],
                                 re.findall(r"https?://[^\"'\s)]+", svg))
                loads = r"<(?:link|img|iframe|object|embed)\b|\ssrc=|@import"
                self.assertEqual([], re.findall(loads, page))
                self.assertNotIn("<script", svg)
                self.assertEqual([], re.findall(r"\son\w+=", svg))

    def test_terminals_of_a_hundred_columns(self):
        for arguments in PLOTS:
            for more in ([], ["--unicode"]):
                text = roofline([*arguments, *more], "text")
                drawing, *below = re.split(r"^(?:devices|curves)$", text, maxsplit=1, flags=re.M)
                with self.subTest(" ".join([*arguments, *more])):
                    self.assertEqual(1, len(below))
                    self.assertLessEqual(max(map(len, drawing.splitlines())), 100)
                    if not more:
                        self.assertTrue(drawing.isascii())

    def test_names_stay_text(self):
        """Of a device and a model that are called like markup."""
        name = "<script>alert('1')</script> & \"two\" ]]> <!-- é"
        device = {**load(pathlib.Path(MY_GPU)), "name": name}
        model = {"name": "</svg></style>&amp;", "config": load(FILES / "llama/config.json")}
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for key, document in (("device", device), ("model", model)):
                paths.append(f"{folder}/{key}.json")
                pathlib.Path(paths[-1]).write_text(json.dumps(document))
            for more in (["-b", "1,8"], ["--x", "batch", "--y", "tpot"],
                         ["-b", "8", "--measured", "<b>&=85@1TFLOP/s"]):
                asked = ["plot", "-g", f"{paths[0]},L4", "-m", f"{paths[1]},gpt2", *more]
                with self.subTest(more):
                    svg = run([*asked, "-f", "svg"]).stdout
                    root = Picture(svg)
                    titles = [marker.find(SVG + "title").text for marker in root.markers()]
                    self.assertIn(name, "".join(titles))
                    self.assertIn(model["name"], "".join(titles))
                    self.assertNotIn("<script", svg)
                    page = run([*asked, "-f", "html"]).stdout
                    self.assertEqual(1, page.count("<script>"))
                    self.assertEqual(1, page.count(svg))
                    self.assertEqual(0, page.count("<b>"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
