"""The site in a real Chromium, from a folder, without a server."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .conftest import MODELS

pytestmark = pytest.mark.chromium

NAMES = [*MODELS]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1200,900"):
        options.add_argument(argument)
    options.binary_location = shutil.which("chromium") or ""
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
    yield driver
    driver.quit()


def opened(browser: Any, page: Path) -> Any:
    from selenium.webdriver.support.ui import WebDriverWait

    browser.get(page.as_uri())
    drawn = (
        "return [...document.querySelectorAll('figure')].every((it) => it.querySelector('canvas, svg, img'))"
    )
    WebDriverWait(browser, 20).until(lambda driver: driver.execute_script(drawn))
    return browser


def shown(browser: Any) -> list[str]:
    """The models of the table that is shown, in order."""
    script = """return [...document.querySelectorAll("section.group:not([hidden]) tbody tr:not([hidden]) th a")]
        .map((it) => it.textContent)"""
    found: list[str] = browser.execute_script(script)
    return found


def every_page(site: Path) -> list[Path]:
    return sorted(site.rglob("*.html"))


def test_pages_draw_without_an_error_and_ask_no_other_host(browser: Any, site: Path, own_site: Path) -> None:
    for page in (*every_page(site), *every_page(own_site)):
        opened(browser, page)
        assert browser.get_log("browser") == []
        sent = [entry["message"] for entry in browser.get_log("performance")]
        asked = [message for message in sent if '"Network.requestWillBeSent"' in message]
        assert asked and not [message for message in asked if '"url":"http' in message]


def test_a_click_on_a_header_sorts_and_says_so(browser: Any, site: Path) -> None:
    opened(browser, site / "index.html")
    assert shown(browser) == NAMES
    button = "section.group:not([hidden]) thead th:nth-child(8)"
    for order, names in (("descending", NAMES), ("ascending", NAMES[::-1]), ("descending", NAMES)):
        browser.find_element("css selector", f"{button} button").click()
        assert browser.find_element("css selector", button).get_attribute("aria-sort") == order
        assert shown(browser) == names


def test_the_keyboard_sorts_too(browser: Any, site: Path) -> None:
    opened(browser, site / "index.html")
    button = browser.find_element("css selector", "section.group:not([hidden]) thead th:nth-child(2) button")
    browser.execute_script("arguments[0].focus()", button)
    button.send_keys("\n")
    assert shown(browser) == sorted(NAMES, key=str.lower)


def test_filters_leave_what_fits_and_count_it(browser: Any, site: Path) -> None:
    opened(browser, site / "index.html")
    browser.find_element("name", "name").send_keys("MIDD")
    assert shown(browser) == ["middling"]
    assert browser.find_element("css selector", "output").text == "1 model"
    browser.find_element("name", "name").clear()
    browser.find_element("name", "parameters").send_keys("10")
    assert shown(browser) == []


def test_another_table_can_be_chosen(browser: Any, site: Path) -> None:
    from selenium.webdriver.support.ui import Select

    opened(browser, site / "index.html")
    tables = Select(browser.find_element("name", "group"))
    assert len(tables.options) > 2
    tables.select_by_index(1)
    (title,) = [it.text for it in browser.find_elements("css selector", "section.group h3") if it.text]
    assert title.startswith("Class regular")
    assert shown(browser)


def test_a_narrow_window_scrolls_tables_not_the_page(browser: Any, site: Path) -> None:
    browser.set_window_size(500, 900)
    for page in every_page(site):
        opened(browser, page)
        wide, window = browser.execute_script(
            "return [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
        )
        assert wide <= window, page
    browser.set_window_size(1200, 900)
