"""The browser that pages are looked at with: where it is, the sizes of its window, its themes."""
import importlib.util
import os
import pathlib
import shutil
import sys

SIZES = {"desktop": (1280, 900), "phone": (390, 844)}
THEMES = ("light", "dark")


def drivers():
    """The browser and what drives it; ends the program with a message where there is none."""
    browser = os.environ.get("FUSE_BROWSER") or next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if not browser:
        sys.exit(print("skipped: no Chromium (apt-get install chromium)") or 0)
    if not importlib.util.find_spec("playwright"):
        sys.exit(print("skipped: no playwright (pip install playwright)") or 0)
    found = importlib.util.find_spec("axe_core_python")
    axe = pathlib.Path(found.origin).with_name("axe.min.js").read_text() if found else None
    if not axe:
        print("left out   axe: pip install axe-core-python")
    return browser, axe
