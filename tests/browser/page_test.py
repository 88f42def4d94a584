"""What tests of the page share: pages made once, one browser, what is seen of a page."""
import html.parser
import subprocess
import unittest

import browser
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By

TEXTBOOK = ["--spec", "textbook"]
POINTS = ["-g", "H100", "-b", "1,8,32"]
CURVES = ["--x", "batch", "--y", "throughput", "-g", "H100,A100"]
TEN_DEVICES = ["-g", "T4,L4,A10G,A100,H100,H200,B200,L40S,V100,MI300X", "-b", "1,32"]
FORTY_POINTS = ["-g", "H100", "-b", "1..40"]

CENTERS = """
return [...document.querySelectorAll('#view .markers .marker')].map(marker => {
  const matrix = marker.getScreenCTM();
  return getComputedStyle(marker).display === 'none' ? null : [matrix.e, matrix.f];
});
"""
SHOWN = """
const all = [...document.querySelectorAll(arguments[0])];
return [all.length, all.filter(e => getComputedStyle(e).display !== 'none').length];
"""


class Outline(html.parser.HTMLParser):
    """Tags that are opened and closed in order, ids, and what refers to them."""

    VOID = {"meta", "input", "br", "link"}

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.ids, self.references, self.tags, self.faults = [], [], [], [], []
        self.titles = []
        self.in_marker_title = False
        self.feed(text)
        self.close()
        self.faults += [f"<{tag}> is never closed" for tag in self.open]

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.tags.append((tag, attributes))
        if "id" in attributes:
            self.ids.append(attributes["id"])
        for name in ("aria-labelledby", "aria-describedby", "for"):
            self.references += attributes.get(name, "").split()
        if tag == "title" and "g" in self.open:
            self.in_marker_title = True
            self.titles.append("")
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        self.in_marker_title = False
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> closes something else at {self.getpos()}")

    def handle_data(self, data):
        if self.in_marker_title:
            self.titles[-1] += data


class PageTest(unittest.TestCase):
    driver = None
    program = ""
    folder = None  # of the pages, and of what the program reads
    pages = {}

    def run_plot(self, arguments, *output):
        done = subprocess.run([self.program, "plot", *arguments, *output, "-q"],
                              capture_output=True, cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, b""), arguments)
        return done.stdout

    def page(self, arguments):
        """The path of the page that `roofline plot` draws, made once."""
        key = tuple(arguments)
        if key not in self.pages:
            path = self.folder / f"page{len(self.pages)}.html"
            self.run_plot(arguments, "-f", "html", "-o", str(path))
            self.pages[key] = path
        return self.pages[key]

    def outline(self, arguments):
        return Outline(self.page(arguments).read_text(encoding="utf-8"))

    def setUp(self):
        browser.emulate(self.driver)
        browser.set_size(self.driver, 1400, 1000)

    def tearDown(self):
        self.assertEqual(browser.complaints(self.driver), [])

    def open(self, arguments):
        path = self.page(arguments)
        browser.complaints(self.driver)
        browser.requests(self.driver)
        self.driver.get(path.as_uri())
        self.assertEqual(browser.complaints(self.driver), [])
        return path

    def find(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def find_all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def shown(self, selector):
        """How many elements there are, and how many of them are drawn."""
        return tuple(self.driver.execute_script(SHOWN, selector))

    def press(self, *keys):
        ActionChains(self.driver).send_keys(*keys).perform()

    def hover(self, element, dx=0, dy=0):
        mouse = ActionChains(self.driver, duration=50)
        mouse.move_to_element_with_offset(element, dx, dy).perform()

    def zoom_by_button(self, name):
        self.find(f"[data-zoom={name}]").click()

    def centers(self):
        """Of the markers, in pixels of the window; None for one that is not drawn."""
        return self.driver.execute_script(CENTERS)

    def check_tooltip(self, title):
        tooltip = self.find("#tooltip")
        self.assertTrue(tooltip.is_displayed(), title)
        name, *figures = title.split("\n")
        self.assertEqual(tooltip.find_element(By.TAG_NAME, "strong").text, name)
        shown = [e.text for e in tooltip.find_elements(By.CSS_SELECTOR, "dt, dd")]
        self.assertEqual(shown, [part for figure in figures for part in figure.split(": ", 1)])
        self.assertGreater(len(figures), 1)
