"""What a page does when it is used."""
import math

import browser
from page_test import CURVES, POINTS, TEXTBOOK, PageTest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.actions.wheel_input import ScrollOrigin
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

# What a zoom may change, as text.
STATE = """
return [...document.querySelectorAll('#view > svg > g')].map(group => group.innerHTML).join('\\n')
"""
TICKS = """
return [...document.querySelectorAll('#view .ticks text:not(.axis)')].map(text => text.textContent)
"""
# Of one axis, with their places: texts below the frame, or beside it.
TICKS_OF = """
const frame = document.querySelector('#view > svg').dataset.frame;
const [left, top, width, height] = frame.split(' ').map(Number);
const of = name => element => Number(element.getAttribute(name));
return [...document.querySelectorAll('#view .ticks text:not(.axis)')]
  .filter(text => (of('y')(text) > top + height + 5) === (arguments[0] === 'x'))
  .map(text => [text.textContent, of(arguments[0])(text)]);
"""

# Of the markers, in the picture's pixels; None for one that is not drawn.
PLACES = """
return [...document.querySelectorAll('#view .markers .marker')].map(marker => {
  const {e, f} = marker.transform.baseVal.getItem(0).matrix;
  return getComputedStyle(marker).display === 'none' ? null : [e, f];
});
"""
PREFIXES = {"P": 1e15, "T": 1e12, "G": 1e9, "M": 1e6, "k": 1e3, "m": 1e-3, "u": 1e-6}


def value_of(text):
    """In base units: 7.3e13 for "73 TFLOP/s"."""
    number, _, unit = text.replace(",", "").partition(" ")
    prefixed = unit[:1] in PREFIXES and unit[1:] in ("FLOP/s", "s")
    return float(number) * (PREFIXES[unit[0]] if prefixed else 1)


class Tooltip(PageTest):
    def titles(self, arguments):
        return self.outline(arguments).titles

    def test_at_the_pointer(self):
        for arguments in (POINTS, TEXTBOOK, CURVES):
            self.open(arguments)
            titles = self.titles(arguments)
            markers = self.find_all("#view .markers .marker")
            self.assertEqual(len(markers), len(titles))
            for i in {0, len(markers) // 2, len(markers) - 1}:
                self.hover(markers[i])
                # Where two lie on each other the pointer cannot tell which.
                text = self.find("#tooltip strong").text
                same = [t for t in titles if t.split("\n")[0] == text]
                self.check_tooltip(titles[i] if titles[i] in same else same[0])
            self.hover(self.find("h1"))
            self.assertFalse(self.find("#tooltip").is_displayed())

    def test_at_the_focus(self):
        self.open(POINTS)
        titles = self.titles(POINTS)
        self.driver.execute_script("document.getElementById('view').focus()")
        for title in titles:
            self.press(Keys.TAB)
            self.check_tooltip(title)
            outline = self.driver.execute_script(
                "return getComputedStyle(document.activeElement).outlineStyle")
            self.assertNotEqual(outline, "none")
        self.press(Keys.TAB)
        self.assertFalse(self.find("#tooltip").is_displayed())

    def test_escape_closes_it(self):
        self.open(POINTS)
        markers = self.find_all("#view .markers .marker")
        self.hover(markers[0])
        self.assertTrue(self.find("#tooltip").is_displayed())
        self.press(Keys.ESCAPE)
        self.assertFalse(self.find("#tooltip").is_displayed())
        self.hover(markers[0], 1, 1)
        self.assertFalse(self.find("#tooltip").is_displayed(), "it came back under the pointer")
        self.hover(markers[1])
        self.assertTrue(self.find("#tooltip").is_displayed())

    def test_stays_within_the_window(self):
        browser.set_size(self.driver, 400, 700)
        self.open(POINTS)
        for marker in self.find_all("#view .markers .marker"):
            self.driver.execute_script("arguments[0].focus()", marker)
            box = self.find("#tooltip").rect
            scrolled = self.driver.execute_script("return window.scrollY")
            self.assertGreaterEqual(box["x"], 0)
            self.assertLessEqual(box["x"] + box["width"], 400)
            self.assertGreaterEqual(box["y"], scrolled)
            self.assertLessEqual(box["y"] + box["height"], scrolled + 700)

    def test_no_second_one_of_the_browser(self):
        self.open(POINTS)
        self.assertEqual(self.find_all("#view .markers .marker title"), [])
        for marker in self.find_all("#view .markers .marker"):
            self.assertTrue(marker.get_attribute("aria-label"))


class Switches(PageTest):
    def box(self, kind, index):
        return self.find(f"[data-kind={kind}] input[value='{index}']")

    def check_switch(self, kind, index):
        own = f"#view [data-{kind}='{index}']"
        others = f"#view [data-{kind}]:not([data-{kind}='{index}'])"
        count, drawn = self.shown(own)
        self.assertGreater(count, 0)
        self.assertEqual(drawn, count)
        before = self.shown(others)
        self.box(kind, index).click()
        self.assertEqual(self.shown(own), (count, 0))
        self.assertEqual(self.shown(others), before)
        self.box(kind, index).click()
        self.assertEqual(self.shown(own), (count, count))

    def test_hide_a_device_and_a_workload(self):
        self.open(TEXTBOOK)
        for part in ("lines", "markers", "labels", "legend"):
            self.assertGreater(self.shown(f"#view .{part} [data-line='0']")[0], 0, part)
        self.assertGreater(self.shown("#view .rules [data-point='2']")[0], 0)
        self.check_switch("line", 0)
        self.check_switch("line", 4)
        self.check_switch("point", 2)

    def test_hide_a_curve(self):
        self.open(CURVES)
        self.check_switch("line", 1)

    def test_by_keyboard(self):
        self.open(TEXTBOOK)
        self.driver.execute_script("arguments[0].focus()", self.box("line", 1))
        self.press(Keys.SPACE)
        count, drawn = self.shown("#view [data-line='1']")
        self.assertGreater(count, 0)
        self.assertEqual(drawn, 0)

    def test_both_keys_have_to_be_on(self):
        self.open(TEXTBOOK)
        marker = "#view .markers .marker[data-line='1'][data-point='1']"
        self.box("line", 1).click()
        self.box("point", 1).click()
        self.box("line", 1).click()
        self.assertEqual(self.shown(marker), (1, 0))
        self.box("point", 1).click()
        self.assertEqual(self.shown(marker), (1, 1))

    def test_all_and_none(self):
        self.open(TEXTBOOK)
        count, _ = self.shown("#view [data-line]")
        self.find("[data-kind=line] [data-all=off]").click()
        self.assertEqual(self.shown("#view [data-line]"), (count, 0))
        self.find("[data-kind=line] [data-all=on]").click()
        self.assertEqual(self.shown("#view [data-line]"), (count, count))

    def test_a_hidden_marker_has_no_tooltip_and_no_focus(self):
        self.open(POINTS)
        self.driver.execute_script("document.getElementById('view').focus()")
        for i in range(len(self.find_all("[data-kind=point] input"))):
            self.box("point", i).click()
        self.driver.execute_script("document.getElementById('view').focus()")
        self.press(Keys.TAB)
        self.assertFalse(self.driver.execute_script(
            "return document.activeElement.classList.contains('marker')"))
        self.assertFalse(self.find("#tooltip").is_displayed())


class Zoom(PageTest):
    def test_by_buttons_and_back(self):
        self.open(TEXTBOOK)
        before, ticks = self.driver.execute_script(STATE), self.driver.execute_script(TICKS)
        marks = self.centers()
        self.zoom_by_button("in")
        self.assertEqual(self.find("#zoom-factor").text, "1.5x")
        now = self.centers()
        seen = [i for i, center in enumerate(now) if center]
        self.assertGreater(len(seen), 2)
        for i in seen:
            for side in (0, 1):
                self.assertAlmostEqual(now[i][side] - now[seen[0]][side],
                                       1.5 * (marks[i][side] - marks[seen[0]][side]), delta=0.1)
        for _ in range(3):
            self.zoom_by_button("in")
        self.assertNotEqual(self.driver.execute_script(TICKS), ticks)
        self.zoom_by_button("reset")
        self.assertEqual(self.driver.execute_script(STATE), before)
        self.assertEqual(self.find("#zoom-factor").text, "1.0x")

    def test_in_and_out_again_is_where_it_was(self):
        self.open(POINTS)
        before = self.driver.execute_script(STATE)
        for name in ("in", "in", "in", "out", "out", "out"):
            self.zoom_by_button(name)
        self.assertEqual(self.driver.execute_script(STATE), before)

    def test_by_wheel_about_the_pointer(self):
        self.open(POINTS)
        before, ticks = self.driver.execute_script(STATE), self.driver.execute_script(TICKS)
        marker = self.find_all("#view .markers .marker")[1]
        at = self.centers()[1]
        origin = ScrollOrigin.from_element(marker)
        ActionChains(self.driver).scroll_from_origin(origin, 0, -300).perform()
        self.assertNotEqual(self.find("#zoom-factor").text, "1.0x")
        self.assertNotEqual(self.driver.execute_script(TICKS), ticks)
        self.assertAlmostEqual(self.centers()[1][0], at[0], delta=1)
        self.assertAlmostEqual(self.centers()[1][1], at[1], delta=1)
        ActionChains(self.driver).double_click(self.find("#view .grid")).perform()
        self.assertEqual(self.driver.execute_script(STATE), before)

    def test_the_wheel_beside_the_frame_scrolls(self):
        browser.set_size(self.driver, 1000, 600)
        self.open(POINTS)
        before = self.driver.execute_script(STATE)
        for selector, down in (("h1", 200), ("#view .grid", 200)):
            self.driver.execute_script("window.scrollTo({top: 0, behavior: 'instant'})")
            origin = ScrollOrigin.from_element(self.find(selector))
            ActionChains(self.driver).scroll_from_origin(origin, 0, down).perform()
            WebDriverWait(self.driver, 3).until(
                lambda driver: driver.execute_script("return window.scrollY") > 0)
            self.assertEqual(self.driver.execute_script(STATE), before)

    def test_by_keys(self):
        self.open(POINTS)
        before = self.driver.execute_script(STATE)
        self.driver.execute_script("document.getElementById('view').focus({preventScroll: true})")
        self.press("+", "+")
        self.assertEqual(self.find("#zoom-factor").text, "2.3x")
        zoomed = self.driver.execute_script(STATE)
        self.press(Keys.ARROW_RIGHT)
        self.assertNotEqual(self.driver.execute_script(STATE), zoomed)
        self.press(Keys.ARROW_LEFT)
        self.assertEqual(self.driver.execute_script(STATE), zoomed)
        self.press("-")
        self.assertEqual(self.find("#zoom-factor").text, "1.5x")
        self.press("0")
        self.assertEqual(self.driver.execute_script(STATE), before)

    def test_drag_moves_by_as_much(self):
        self.open(POINTS)
        frame = self.find("#view .grid")
        self.zoom_by_button("in")
        self.zoom_by_button("in")
        marks = self.centers()
        ActionChains(self.driver).move_to_element_with_offset(frame, 60, 60).click_and_hold() \
            .move_by_offset(20, -10).move_by_offset(10, -10).release().perform()
        moved = [(b[0] - a[0], b[1] - a[1]) for a, b in zip(marks, self.centers()) if a and b]
        self.assertTrue(moved)
        for dx, dy in moved:
            self.assertAlmostEqual(dx, 30, delta=1)
            self.assertAlmostEqual(dy, -20, delta=1)

    def test_ticks_say_where_they_are(self):
        """At any zoom: ticks and markers, read as numbers, are on one logarithmic scale."""
        for arguments, names in ((POINTS, ("intensity", "achievable")),
                                 (CURVES, ("batch", "throughput"))):
            self.open(arguments)
            titles = [dict(line.split(": ", 1) for line in title.split("\n")[1:])
                      for title in self.outline(arguments).titles]
            self.driver.execute_script("arguments[0].focus()",
                                       self.find_all("#view .markers .marker")[1])
            for _ in range(8):
                places = self.driver.execute_script(PLACES)
                self.assertTrue(any(places))
                for axis, name in enumerate(names):
                    ticks = self.driver.execute_script(TICKS_OF, "xy"[axis])
                    self.assertGreaterEqual(len(ticks), 2, ticks)
                    self.check_digits([text.split(" ")[0] for text, _ in ticks])
                    drop = 0 if name == names[0] else 4  # of a baseline
                    self.check_scale(
                        [(value_of(text), at - drop, 0.02) for text, at in ticks] +
                        [(value_of(figures[name]), place[axis], 0.3)
                         for figures, place in zip(titles, places) if place])
                self.press("+")  # about the marker

    def check_digits(self, numbers):
        """No more decimals than they need."""
        decimals = [number for number in numbers if "." in number]
        self.assertFalse(decimals and all(number.endswith("0") for number in decimals), numbers)

    def check_scale(self, places):
        """(value, pixel, tolerance): the first two give the scale."""
        (first, start, _), (second, end, _) = places[:2]
        slope = (end - start) / math.log(second / first)
        for value, at, tolerance in places:
            far = 1 + abs(at - start) / abs(end - start)
            self.assertAlmostEqual(at, start + slope * math.log(value / first),
                                   delta=tolerance * far, msg=(value, places))
