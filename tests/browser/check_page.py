"""Opens pages of `roofline plot -f html` in a real browser and uses them as a reader does.

usage: check_page.py PROGRAM [TEST ...]
"""
import os
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True

import browser


def main():
    from page_test import PageTest
    PageTest.program = os.path.abspath(sys.argv.pop(1))
    with tempfile.TemporaryDirectory() as folder:
        PageTest.folder = pathlib.Path(folder)
        PageTest.driver = browser.start()
        try:
            unittest.main()
        finally:
            PageTest.driver.quit()


if __name__ == "__main__":
    browser.leave_without_browser()
    from looks import Hostile, Labels, Loads, Looks
    from use import Switches, Tooltip, Zoom
    main()
