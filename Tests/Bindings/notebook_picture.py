"""Creates docs/pictures/notebook.png: the beginning of an executed notebook, as Jupyter shows it.

    BACKDROP_LIBRARY=… PYTHON_PACKAGES=python-package scripts/test-python.sh Tests/Bindings/notebook_picture.py docs/pictures
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbconvert import HTMLExporter

ROOT = Path(__file__).resolve().parents[2]
os.environ["PYTHONPATH"] = str(ROOT / "Bindings/python/src")
notebook = nbformat.read(ROOT / "Bindings/python/notebooks/2-noir.ipynb", as_version=4)
# The cells below would make the picture too long.
notebook.cells = notebook.cells[:3]
NotebookClient(notebook, timeout=300).execute()
exporter = HTMLExporter(template_name="lab", mathjax_url="")
page, _resources = exporter.from_notebook_node(notebook)
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder, "notebook.html")
    path.write_text(page.replace("<head>", "<head><style>img { max-width: 620px !important }</style>", 1))
    target = Path(sys.argv[1], "notebook.png").resolve()
    subprocess.run(
        [
            os.environ.get("CHROMIUM", "/usr/bin/chromium"), "--headless", "--no-sandbox", "--hide-scrollbars",
            "--window-size=820,900", f"--user-data-dir={folder}/profile", f"--screenshot={target}", path.as_uri(),
        ],
        check=True, stderr=subprocess.DEVNULL, timeout=120,
    )  # fmt: skip
print("docs/pictures/notebook.png")
