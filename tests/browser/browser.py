"""A headless Chromium for the tests of the page, or the reason why there is none."""

import json
import os
import shutil
import sys

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
except ImportError:
    webdriver = None

SKIPPED = 77


def what_is_missing():
    if webdriver is None:
        return "python3-selenium"
    if not find_browser():
        return "chromium"
    return "" if shutil.which("chromedriver") else "chromium-driver"


def find_browser():
    names = ("chromium", "chromium-browser", "google-chrome")
    return next(filter(None, map(shutil.which, names)), None)


def leave_without_browser():
    """Ends the run where something is missing: skipped, but failed in CI."""
    missing = what_is_missing()
    if not missing:
        return
    in_ci = os.environ.get("CI") == "true"
    print(f"{'FAILED' if in_ci else 'SKIPPED'}: the page was not tested, for want of {missing}",
          flush=True)
    sys.exit(1 if in_ci else SKIPPED)


def start():
    options = webdriver.ChromeOptions()
    options.binary_location = find_browser()
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                 "--force-device-scale-factor=1", "--window-size=1400,1000"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)
    driver.set_script_timeout(20)
    return driver


def complaints(driver):
    """Console messages since the last call that are warnings or worse."""
    return [entry["message"] for entry in driver.get_log("browser")
            if entry["level"] in ("SEVERE", "WARNING")]


def requests(driver):
    """Addresses that were asked for since the last call."""
    sent = []
    for entry in driver.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            sent.append(message["params"]["request"]["url"])
    return sent


def emulate(driver, media="", **features):
    """Media type and features, as in emulate(driver, "print", prefers_color_scheme="dark")."""
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
        "media": media,
        "features": [{"name": name.replace("_", "-"), "value": value}
                     for name, value in features.items()]})


def set_size(driver, width, height):
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
