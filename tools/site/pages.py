"""What mkdocs.yml cannot say: the pages stand where GitHub shows them, not in one folder."""
import posixpath
import re
from pathlib import Path

import mathjax
from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[2]
# Pages, and files that pages link to.
CONTENT = [
    "*.md", "LICENSE", "CITATION.cff", "datasets/README.md", "docs/**/*.*", "tools/python/README.md", "Examples/phones/*", "Examples/service/*",
    "Examples/service/grafana/*",
    "Sources/NearbyInteraction/NearbyInteraction.docc/FindATag.md"]
MATHJAX = Path(mathjax.__file__).parent / "static/mathjax/es5"


def on_config(config):
    """Folders of the navigation: their pages, but those that are named."""
    def expand(items):
        for item in items:
            if isinstance(item, dict):
                yield {title: list(expand(inner)) if isinstance(inner, list) else inner for title, inner in item.items()}
            elif item.endswith("/*"):
                folder = item[:-2]
                yield from (page for path in sorted((ROOT / folder).glob("*.md")) if (page := f"{folder}/{path.name}") not in items)
            else:
                yield item

    config.nav = list(expand(config.nav))
    return config


def on_files(files, config):
    for pattern in CONTENT:
        for path in sorted(ROOT.glob(pattern)):
            if path.is_file():
                files.append(File.generated(config, path.relative_to(ROOT).as_posix(), abs_src_path=str(path)))
    files.append(File.generated(config, "mathjax/tex-chtml.js", abs_src_path=str(MATHJAX / "tex-chtml.js")))
    for path in sorted((MATHJAX / "output/chtml/fonts/woff-v2").glob("*.woff")):
        files.append(File.generated(config, f"mathjax/output/chtml/fonts/woff-v2/{path.name}", abs_src_path=str(path)))
    return files


def on_page_markdown(markdown, page, config, files):
    # A link that reads as a file's name reads as the page's title. Titles are those of the first line.
    def titled(match):
        target = files.get_file_from_path(posixpath.normpath(posixpath.join(posixpath.dirname(page.file.src_uri), match[2])))
        title = target and re.match("# (.+)", Path(target.abs_src_path).read_text())
        return f"[{title[1]}]({match[2]}" if title else match[0]

    markdown = re.sub(r"\[([\w./-]+\.md)\]\(([^)#]+\.md)", titled, markdown)
    if page.file.src_uri == "docs/library.md":
        markdown = re.sub(r"^\| `(\w+)` \|", lambda m: f'| <a href="../api/documentation/{m[1].lower()}/">`{m[1]}`</a> |', markdown, flags=re.M)
    # GitHub's inline mathematics, $`...`$, in the brackets that MathJax reads.
    return re.sub(r"\$`([^`\n]+)`\$", r"\\(\1\\)", markdown)
