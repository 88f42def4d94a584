"""What a page is and how it looks."""
import csv
import json
import math
import re

import browser
from page_test import CURVES, FORTY_POINTS, POINTS, TEN_DEVICES, TEXTBOOK, Outline, PageTest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support import expected_conditions

HOSTILE = "<script>alert(1)</script>"
HOSTILE_TITLE = "</title></script><script>alert(2)</script>"
HOSTILE_DEVICE = {"name": HOSTILE, "peaks": {"fp16": "65 TFLOP/s"},
                  "memory": {"bandwidth": "320 GB/s"}}
HOSTILE_FILE = "<img src=x onerror=alert(3)>.json"
SMALL_MODEL = {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 512,
               "intermediate_size": 1024, "num_hidden_layers": 4, "num_attention_heads": 8,
               "num_key_value_heads": 8, "vocab_size": 1000, "torch_dtype": "float16",
               "max_position_embeddings": 4096}

# Every text in g.labels as the corners of its box on the page, turned ones turned.
LABEL_CORNERS = """
return [...document.querySelectorAll('#view .labels text')]
  .filter(text => getComputedStyle(text).display !== 'none')
  .map(text => {
    const box = text.getBBox(), matrix = text.getScreenCTM();
    const corners = [[0, 0], [1, 0], [1, 1], [0, 1]].map(([i, j]) => {
      const p = new DOMPoint(box.x + i * box.width, box.y + j * box.height)
        .matrixTransform(matrix);
      return [p.x, p.y];
    });
    return [text.textContent, corners];
  });
"""
FRAME = """
const svg = document.querySelector('#view > svg');
const [x, y, w, h] = svg.dataset.frame.split(' ').map(Number);
const matrix = svg.getScreenCTM();
return [[x, y], [x + w, y + h]].map(([a, b]) => {
  const p = new DOMPoint(a, b).matrixTransform(matrix);
  return [p.x, p.y];
});
"""


def overlap(one, other):
    """Whether two rectangles, as corners in order, share more than a hair of area."""
    hair = 0.3
    for a, b in ((one, other), (other, one)):
        for i in range(2):
            (x1, y1), (x2, y2) = a[i], a[i + 1]
            length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
            if length == 0:
                return False
            along = [[((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / length for x, y in corners]
                     for corners in (a, b)]
            if min(max(along[0]), max(along[1])) - max(min(along[0]), min(along[1])) < hair:
                return False
    return True


class Loads(PageTest):
    def test_without_a_complaint_or_a_request(self):
        for arguments in (TEXTBOOK, POINTS, CURVES):
            path = self.open(arguments)
            self.assertEqual(browser.requests(self.driver), [path.as_uri()])
            self.assertEqual(self.driver.execute_script(
                "return performance.getEntriesByType('resource').length"), 0)

    def test_is_whole_html(self):
        for arguments in (TEXTBOOK, POINTS, CURVES):
            text = self.page(arguments).read_text(encoding="utf-8")
            outline = Outline(text)
            self.assertEqual(outline.faults, [])
            self.assertEqual(len(outline.ids), len(set(outline.ids)), outline.ids)
            self.assertLessEqual(set(outline.references), set(outline.ids))
            self.assertTrue(text.startswith("<!DOCTYPE html>\n<html lang=\"en\">"))
            for tag, attributes in outline.tags:
                self.assertNotIn("src", attributes, tag)
                self.assertNotIn("style", attributes, tag)
                self.assertRegex(attributes.get("href", "#"), "^#")
            names = [tag for tag, _ in outline.tags]
            for name in ("main", "h1", "h2", "table", "caption", "svg"):
                self.assertIn(name, names)

    def test_has_the_picture_as_it_is(self):
        for arguments in (TEXTBOOK, CURVES):
            self.assertIn(self.run_plot(arguments, "-f", "svg"), self.page(arguments).read_bytes())

    def test_the_table_has_the_figures_of_csv(self):
        done = self.run_plot(POINTS, "-f", "csv").decode().splitlines()
        expected = list(csv.DictReader(done))
        self.open(POINTS)
        rows = self.find(".figures tbody").find_elements(By.TAG_NAME, "tr")
        self.assertEqual(len(rows), len(expected))
        for row, answer in zip(rows, expected):
            cells = row.text.replace(",", "").split()
            self.assertIn(answer["batch"], cells)
            intensity = float(answer["intensity_flop_per_byte"])
            self.assertTrue(any(re.fullmatch(r"\d+\.\d+", cell)
                                and math.isclose(float(cell), intensity, rel_tol=1e-3)
                                for cell in cells), (cells, intensity))
        self.assertTrue(all(cell.get_attribute("scope") == "col"
                            for cell in self.find_all("thead th")))
        self.assertTrue(all(cell.get_attribute("scope") == "row"
                            for cell in self.find_all("tbody th")))

    def test_without_script(self):
        self.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
        try:
            self.open(POINTS)
        finally:
            self.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
        for selector in ("#view svg", "#view .markers .marker", ".figures table"):
            self.assertTrue(self.find(selector).is_displayed(), selector)
        for selector in (".toolbar", ".switches", "#tooltip"):
            self.assertFalse(self.find(selector).is_displayed(), selector)


class Labels(PageTest):
    def check_labels(self, arguments, least):
        labels = self.driver.execute_script(LABEL_CORNERS)
        (left, top), (right, bottom) = self.driver.execute_script(FRAME)
        self.assertGreaterEqual(len(labels), least, arguments)
        for text, corners in labels:
            for x, y in corners:
                self.assertTrue(left - 1 <= x <= right + 1 and top - 1 <= y <= bottom + 1,
                                f"'{text}' leaves the frame of {arguments}")
        for i, (text, corners) in enumerate(labels):
            for other, others in labels[:i]:
                self.assertFalse(overlap(corners, others),
                                 f"'{text}' is on '{other}' in {arguments}")

    def test_neither_overlap_nor_leave_the_frame(self):
        for arguments, least in ((TEXTBOOK, 5), (POINTS, 4), (CURVES, 1), (TEN_DEVICES, 5),
                                 (FORTY_POINTS, 5)):
            self.open(arguments)
            self.check_labels(arguments, least)

    def test_after_a_zoom(self):
        for arguments in (TEXTBOOK, FORTY_POINTS):
            self.open(arguments)
            for _ in range(4):
                self.zoom_by_button("in")
                self.check_labels(arguments, 1)


class Looks(PageTest):
    @staticmethod
    def brightness(color):
        red, green, blue = map(float, re.findall(r"[\d.]+", color)[:3])
        return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255

    def colors(self):
        return [self.brightness(color) for color in self.driver.execute_script("""
            const of = (selector, name) => getComputedStyle(document.querySelector(selector))[name];
            return [of('body', 'backgroundColor'), of('#view > svg > rect', 'fill'),
                    of('h1', 'color'),
                    of('#view .ticks text', 'fill'), of('#view .labels text', 'fill'),
                    of('td', 'color')]""")]

    def test_light_and_dark(self):
        self.open(POINTS)
        browser.emulate(self.driver, prefers_color_scheme="light")
        page_back, chart_back, *texts = self.colors()
        self.assertGreater(min(page_back, chart_back), 0.9)
        self.assertLess(max(texts), 0.5)
        browser.emulate(self.driver, prefers_color_scheme="dark")
        page_back, chart_back, *texts = self.colors()
        self.assertLess(max(page_back, chart_back), 0.15)
        self.assertGreater(min(texts), 0.5)

    def test_print(self):
        self.open(POINTS)
        self.hover(self.find("#view .markers .marker"))
        self.assertTrue(self.find("#tooltip").is_displayed())
        for scheme in ("light", "dark"):
            browser.emulate(self.driver, "print", prefers_color_scheme=scheme)
            for selector in ("h1", "#view svg", ".figures table"):
                self.assertTrue(self.find(selector).is_displayed(), selector)
            for selector in (".toolbar", ".switches", "#tooltip"):
                self.assertFalse(self.find(selector).is_displayed(), selector)
            page_back, chart_back, *texts = self.colors()
            self.assertGreater(min(page_back, chart_back), 0.9, scheme)
            self.assertLess(max(texts), 0.5, scheme)

    def test_print_cuts_nothing(self):
        """On paper of A4's width, which has no scroll bars."""
        browser.emulate(self.driver, "print")
        for arguments in (TEXTBOOK, CURVES, FORTY_POINTS):
            browser.set_size(self.driver, 720, 1020)
            self.open(arguments)
            width = self.driver.execute_script("return document.documentElement.clientWidth")
            for element in self.find_all("#view > svg, table, .notes"):
                box = element.rect
                self.assertLessEqual(box["x"] + box["width"], width + 1, arguments)
            self.assertLessEqual(self.find("#view > svg").rect["height"], 1020)

    def test_narrow(self):
        for width in (400, 800, 1200, 1920):
            browser.set_size(self.driver, width, 800)
            for arguments in (TEXTBOOK, CURVES):
                self.open(arguments)
                overflow = self.driver.execute_script(
                    "return document.documentElement.scrollWidth - window.innerWidth")
                self.assertLessEqual(overflow, 0, (width, arguments))

    def test_everything_by_tab(self):
        self.open(POINTS)
        expected = self.driver.execute_script("""
            const all = 'button, input, [tabindex="0"]';
            return [...document.querySelectorAll(all)]
              .filter(e => getComputedStyle(e).display !== 'none').length""")
        self.driver.execute_script("document.activeElement.blur(); window.getSelection().empty()")
        seen = []
        for _ in range(expected + 3):
            self.press(Keys.TAB)
            element = self.driver.switch_to.active_element
            if element.tag_name == "body" or element in seen:
                break
            seen.append(element)
        self.assertEqual(len(seen), expected)


class Hostile(PageTest):
    KERNEL = ["-w", "matmul", "--m", "512", "--k", "512", "--n", "512", "-g", "./bad.json",
              "--title", HOSTILE_TITLE]
    MODEL = ["-m", f"./{HOSTILE_FILE}", "-g", "H100", "-b", "1,8"]

    def open(self, arguments):
        for name, content in (("bad.json", HOSTILE_DEVICE), (HOSTILE_FILE, SMALL_MODEL)):
            (self.folder / name).write_text(json.dumps(content), encoding="utf-8")
        super().open(arguments)
        self.assertEqual(len(self.find_all("script")), 1)
        self.assertEqual(self.find_all("img"), [])

    def tearDown(self):
        self.assertFalse(expected_conditions.alert_is_present()(self.driver))
        super().tearDown()

    def test_names_of_devices_and_titles_stay_text(self):
        self.open(self.KERNEL)
        self.assertEqual(self.driver.title, HOSTILE_TITLE)
        self.assertEqual(self.find("h1").get_attribute("textContent"), HOSTILE_TITLE)
        self.assertEqual(self.find("[data-kind=line] .name").text, HOSTILE)
        self.assertIn(HOSTILE, self.find(".figures").text)
        self.hover(self.find("#view .markers .marker"))
        self.assertIn(HOSTILE, self.find("#tooltip").text)

    def test_names_of_models_stay_text(self):
        self.open(self.MODEL)
        name = HOSTILE_FILE.removesuffix(".json")
        self.assertIn(name, self.find("header p").get_attribute("textContent"))
        self.assertIn(name, self.find("#view .question").text)
