"""Checks the output formats against each other: all of them carry the same facts.

usage: check_formats.py PROGRAM SOURCE_DIR
"""
import csv
import html.parser
import io
import re
import sys
import unittest

sys.dont_write_bytecode = True

from program import PREFIXES, output, result, roofline, rows_of, shows
from questions import (ANSWERS, BOUND, COMPARES, FITS, LISTS, PLOTS, QUESTIONS, SERVES, SHOWS,
                       SOLVES, STEP, SWEEPS)


def scalars(row):
    """What CSV has of a JSON row: tables that belong to it have no place there."""
    tables = {"operators", "derivation", "improvements", "figures", "prices", "sources",
              "layer_groups", "origins", "limits", "proof", "intensity_limits"}
    return {key: value for key, value in row.items() if key not in tables}


def csv_text(value):
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return "; ".join(value) if isinstance(value, list) else value


# The key behind a column's header without prefix, and its unit.
COLUMNS = {
    "gpu": "gpu", "model": "model", "workload": "workload", "batch": "batch",
    "context": "context_tokens", "FLOP/byte": "intensity_flop_per_byte",
    "ridge": "ridge_flop_per_byte", "FLOP/s": "achievable_flop_per_s",
    "roofline s": "roofline_time_s", "tok/s": "throughput_tok_per_s", "fits": "fits",
    "per 1M tok USD": "usd_per_million_tokens", "operator": "operator", "layers": "layers",
    "FLOP": "flop", "weights B": "weight_bytes", "K/V B": "kv_bytes", "state B": "state_bytes",
    "act. B": "activation_bytes",
    "time s": "serial_time_s", "bound": "bound", "name": "name", "severity": "severity",
    "finds": "summary", "B/s": "bandwidth_bytes_per_s",
    "memory B": "memory_capacity_bytes", "family": "family", "format": "number_format",
    "bits": "bits", "multiplied as": "element", "covers": "covers",
    "description": "description", "contexts": "contexts", "tp": "tp", "pp": "pp", "ep": "ep",
    "dp": "dp", "TPOT s": "tpot_s", "TTFT s": "ttft_s", "needs B": "memory_needed_bytes",
    "concurrency": "concurrency", "devices": "devices", "holds": "holds", "rank": "rank",
    "limit FLOP/byte": "limit_flop_per_byte", "reached": "reached",
    "1M tok USD": "usd_per_million_tokens", "J/tok": "energy_j_per_tok",
    "USD/h": "price_usd_per_hour", "weights": "weight_dtype", "K/V": "kv_dtype",
    "cached": "cached_tokens", "chunk": "chunk_tokens", "position": "position_tokens",
    "drafts": "draft_tokens", "memory holds": "memory_concurrency",
    "output tok/s": "output_tok_per_s", "req/s": "requests_per_s",
    "peak": "peak_type", "used": "used", "curve": "curve", "limit": "limit", "at": "at",
    "measured FLOP/s": "measured_flop_per_s", "measured s": "measured_time_s",
    "measured": "name",
}
RENAMED = {
    "compare": {"time s": "roofline_time_s"},
    "list devices": {"FLOP/s": "peak_16bit_flop_per_s", "ridge": "ridge_16bit_flop_per_byte"},
    "plot used": {"FLOP/s": "peak_flop_per_s"},
    "plot measured": {"FLOP/s": "measured_flop_per_s"},
    "list models": {"params": "parameters", "active": "active_parameters",
                    "K/V B": "kv_bytes_per_token", "context": "max_context_tokens"},
}
FOLLOWING = {"share %", "or", "from ridge", "memory GB"}  # from other columns


def markdown_tables(text):
    tables = []
    for block in re.findall(r"(?:^\|.*\n)+", text, re.M):
        rows = [[re.sub(r"\\(.)", r"\1", cell.strip()) for cell in line[1:-2].split(" | ")]
                for line in block.replace("|\n", " |\n").splitlines() if not line.startswith("|--")]
        tables.append(rows)
    return tables


class HtmlTables(html.parser.HTMLParser):
    """The rows of every table of a page."""
    def __init__(self, text):
        super().__init__()
        self.tables, self.cell = [], None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("th", "td"):
            self.cell = ""

    def handle_data(self, data):
        if self.cell is not None:
            self.cell += data

    def handle_endtag(self, tag):
        if tag in ("th", "td"):
            self.tables[-1][-1].append(self.cell)
            self.cell = None


def html_tables(text):
    return HtmlTables(text).tables


def text_tables(text, least=3):
    """Tables of so many columns that are at least two blanks apart."""
    tables = []
    for block in text.split("\n\n"):
        rows = [re.split(r" {2,}", line.strip()) for line in block.splitlines()]
        if len(rows) > 1 and len(rows[0]) >= least and len({len(row) for row in rows}) == 1:
            tables.append(rows)
    return tables


def tables_of(arguments):
    """What of an answer text and Markdown show as tables, as (header that it has, rows)."""
    rows = rows_of(arguments)
    if arguments[0] == "analyze" and len(rows) == 1:
        return [("operator", rows[0]["operators"])] if "operators" in rows[0] else []
    if arguments[0] == "plot":
        document = output(arguments)
        beside = (("used", "roofs"), ("measured", "measured"), ("at", "limits"))
        return [("bound", rows)] + [(title, document[key]) for title, key in beside
                                    if key in document]
    if arguments[0] == "solve":
        found = [("holds", rows[0]["proof"])]
        limits = rows[0].get("intensity_limits")
        return found + ([("reached", limits)] if limits else [])
    return [({"list": "name"}.get(arguments[0], "gpu"), rows)]


class Formats(unittest.TestCase):
    def test_csv_says_what_json_says(self):
        sweeps = [arguments for arguments, _ in SWEEPS]
        for arguments in QUESTIONS + PLOTS + ANSWERS + sweeps + LISTS + SHOWS:
            with self.subTest(" ".join(arguments)):
                rows = [scalars(row) for row in rows_of(arguments)]
                reader = csv.DictReader(io.StringIO(roofline(arguments, "csv")))
                lines = list(reader)
                self.assertEqual(len(rows), len(lines))
                self.assertEqual(set().union(*rows) - set(reader.fieldnames), set())
                for row, line in zip(rows, lines):
                    self.assertEqual([key for key in reader.fieldnames if key in row], list(row))
                    for key in reader.fieldnames:
                        wanted = csv_text(row.get(key))
                        if isinstance(wanted, str):
                            self.assertEqual(wanted, line[key], key)
                        else:
                            self.assertEqual(wanted, float(line[key]), key)

    def compare_cell(self, key, row, cell, scale):
        value = row.get(key)
        if key == "bound" and "verdict" in row:
            value = row["verdict"] and row["verdict"].removesuffix("-bound")
        elif key == "bound" and "rank" in row:
            if row["rank"] is None:
                self.assertRegex(cell, "^no: ")
            else:
                self.assertEqual(row["bound_by"], cell.lower().replace(" ", "-"))
            return
        if key == "at":
            self.compare_limit(row, cell)
        elif key == "fits" and (key in row or "reason" in row):
            wanted = {True: "yes", False: "no", None: "not known", "absent": "cannot run"}
            self.assertTrue(cell.startswith(wanted[row.get(key, "absent")]), (key, cell))
        elif key == "holds":
            self.assertEqual("yes" if value else "no: " + ", ".join(row["missed"]), cell)
        elif key == "reached":
            self.assertEqual("yes" if value else "never", cell)
        elif isinstance(value, bool):
            self.assertEqual("yes" if value else "no", cell, key)
        elif isinstance(value, list):
            self.assertEqual(csv_text(value).replace("; ", ", "), cell.replace("; ", ", "), key)
        elif value in (None, "", 0):
            self.assertEqual("-", cell, key)
        elif isinstance(value, str):
            self.assertEqual(value, cell, key)
        else:
            self.assertTrue(shows(cell, value / scale), f"{key}: {cell}, {value}")

    def compare_limit(self, row, cell):
        """Where a curve meets a limit, in words."""
        for key, pattern in (("ridge_flop_per_byte", r"([\d.,]+)() FLOP/byte"),
                             ("tpot_s", r"([\d.,]+) ([num]?)s")):
            if key in row:
                number, prefix = re.fullmatch(pattern, cell).groups()
                self.assertTrue(shows(number, row[key] / PREFIXES.get(prefix, 1)), cell)
                return
        over = "context" if "context" in cell.split() else "batch"
        at = row["context_tokens" if over == "context" else over]
        if at:
            self.assertEqual(f"{over} {at:,}", cell)
        else:
            self.assertTrue(cell.startswith(f"{'any' if at is None else 'no'} {over} "), cell)

    def compare_table(self, command, table, rows):
        header, *lines = table
        self.assertEqual(len(rows), len(lines))
        compared = 0
        for column, title in enumerate(header):
            if title in FOLLOWING:
                continue
            scale = 1
            match = re.fullmatch(r"(.* )?([numkMGTPE]|Gi)(B|s|FLOP|FLOP/s|B/s|)", title)
            if match and title not in COLUMNS:
                scale = PREFIXES[match[2]]
                title = ((match[1] or "") + match[3]).strip()
            key = RENAMED.get(command, {}).get(title) or COLUMNS[title]
            for row, line in zip(rows, lines):
                self.compare_cell("bound" if title == "bound" else key, row, line[column], scale)
                compared += 1
        self.assertGreaterEqual(compared, min(3, len(header)) * len(rows))

    def test_text_and_markdown_tables_say_what_json_says(self):
        inverted = [arguments for arguments, _ in SOLVES + COMPARES + SWEEPS]
        for arguments in QUESTIONS + inverted + LISTS:
            command = " ".join(arguments[:2]) if arguments[0] == "list" else arguments[0]
            for form, read in (("text", text_tables), ("markdown", markdown_tables)):
                tables = read(roofline(arguments, form))
                for title, rows in tables_of(arguments):
                    with self.subTest(" ".join(arguments), form=form, table=title):
                        found = [table for table in tables if title in table[0]]
                        if title == "gpu":  # not in the table where all rows are of one
                            found = [table for table in tables if table[0][0] in COLUMNS]
                        self.assertEqual(1, len(found))
                        self.compare_table(command, found[0], rows)

    def test_tables_of_pictures_say_what_json_says(self):
        """In text, in Markdown, and beside the picture in the page."""
        for arguments in PLOTS:
            wanted = tables_of(arguments)
            for form, tables in (("text", text_tables(roofline(arguments, "text"), 2)),
                                 ("markdown", markdown_tables(roofline(arguments, "markdown"))),
                                 ("html", html_tables(roofline(arguments, "html")))):
                for title, rows in wanted:
                    with self.subTest(" ".join(arguments), form=form, table=title):
                        found = [table for table in tables if title in table[0]]
                        self.assertEqual(1, len(found))
                        command = "plot" if title == "bound" else f"plot {title}"
                        self.compare_table(command, found[0], rows)
                if form != "text":
                    self.assertEqual(len(wanted), len(tables))

    def test_facts_say_what_json_says(self):
        for arguments in (STEP, STEP + ["--price", "2.49"], ["analyze", "-g", "T4"]):
            row = output(arguments)["results"][0]
            text = roofline(arguments, "text")
            markdown = re.sub(r"^- (.*?): ", r"\1  ", roofline(arguments, "markdown"), flags=re.M)
            scales = {"": 1, **PREFIXES}
            used, usable = row["memory_needed_bytes"], row["memory_usable_bytes"]
            for pattern, *values in (
                    (rf"^verdict +{row['verdict']},? +([\d.,]+) FLOP/byte, ridge ([\d.,]+):()",
                     row["intensity_flop_per_byte"], row["ridge_flop_per_byte"]),
                    (r"^roofline time +([\d.,]+) (.?)s", row["roofline_time_s"]),
                    (r"^serial time +([\d.,]+) (.?)s", row["serial_time_s"]),
                    (r"^achievable +([\d.,]+) (.?)FLOP/s", row["achievable_flop_per_s"]),
                    (r"^throughput +([\d.,]+)() tok/s", row["throughput_tok_per_s"]),
                    (r"^memory +" + ("fits" if row["fits"] else "does not fit") +
                     r",? +([\d.,]+) (.)B of ", used),
                    (r"^memory .* of ([\d.,]+) (.)B usable", usable)):
                for form in (text, markdown):
                    match = re.search(pattern, form, re.M)
                    self.assertIsNotNone(match, pattern + "\n" + form)
                    *numbers, prefix = match.groups()
                    for number, value in zip(numbers, values):
                        self.assertTrue(shows(number, value / scales[prefix]), (pattern, number))

    def lines_of(self, arguments):
        """The facts of an answer in text by their label, a continued one in a line."""
        block = roofline(arguments, "text").split("\n\n")[1]
        lines = re.sub(r"\n {8,}", " ", block).splitlines()
        return dict(re.split(r" {2,}", line.strip(), maxsplit=1) for line in lines)

    def check_fact(self, text, *values):
        """The first numbers of a text are these values, in order, with its only unit."""
        found = re.findall(r"(?<![\w.])(\d[\d,]*(?:\.\d+)?)(?: ([numkMGTPE]?)(?:B|s|J|USD)\b)?",
                           text)
        self.assertGreaterEqual(len(found), len(values), text)
        for place, value in enumerate(values):
            number = found[place][0]
            prefix = next((unit for _, unit in found[place:] if unit), "")
            scale = PREFIXES.get(prefix, 1)
            self.assertTrue(shows(number, value / scale), (text, number, value))

    def test_facts_of_fit_say_what_json_says(self):
        for arguments, _ in FITS:
            with self.subTest(" ".join(arguments)):
                row, lines = result(arguments), self.lines_of(arguments)
                self.assertTrue(lines["verdict"].startswith(row["verdict"].replace("-", " ")))
                for label, key in (("weights", "memory_weight_bytes"), ("K/V", "memory_kv_bytes"),
                                   ("state", "memory_state_bytes"),
                                   ("activations", "memory_activation_bytes")):
                    if row[key] > 0:
                        self.check_fact(lines[label], row[key])
                for label, key in (("K/V tokens", "kv_tokens"),
                                   ("most sequences", "most_sequences"),
                                   ("longest context", "longest_context")):
                    if key + "_low" in row:
                        low, high = row[key + "_low"], row[key + "_high"]
                        self.check_fact(lines[label], *((low, high) if low < high else (low,)))
                if row["fewest_devices"] is None:
                    self.assertTrue(lines["fewest devices"].startswith("none"))
                else:
                    self.check_fact(lines["fewest devices"], row["fewest_devices"])

    def test_facts_of_serve_say_what_json_says(self):
        for arguments, code in SERVES:
            with self.subTest(" ".join(arguments)):
                row, lines = result(arguments), self.lines_of(arguments)
                if code == 1:
                    self.assertEqual(row["reason"], lines["concurrency"].split("  ")[-1].strip())
                    continue
                for label, key in (("concurrency", "concurrency"), ("TTFT", "ttft_s"),
                                   ("TPOT", "tpot_s"), ("requests", "requests_per_s"),
                                   ("output", "output_tok_per_s"), ("input", "input_tok_per_s"),
                                   ("cost", "usd_per_million_tokens"),
                                   ("energy", "energy_j_per_tok")):
                    self.assertEqual(key in row, label in lines, label)
                    if key in row:
                        self.check_fact(lines[label].split("  ")[0], row[key])

    def test_facts_of_solve_say_what_json_says(self):
        for arguments, code in SOLVES:
            with self.subTest(" ".join(arguments)):
                row, lines = result(arguments), self.lines_of(arguments)
                answer = lines[row["unknown"]]
                if code == 1:
                    self.assertTrue(answer.startswith(("never", "none")))
                    self.assertEqual(row["reason"], answer.split("  ")[-1].strip())
                else:
                    self.check_fact(answer, row["answer"])
                for limit in row["limits"]:
                    value = limit.get("at_most", limit.get("at_least"))
                    if value is not None and "any" not in lines[limit["limit"]]:
                        self.check_fact(lines[limit["limit"]], value)
        self.assertIn("what would help", self.lines_of(BOUND))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
