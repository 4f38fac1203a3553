"""Adds Backdrop's actions to the menu of pictures and videos in Nautilus. Needs python3-nautilus."""

import subprocess
from urllib.parse import unquote, urlsplit

from gi.repository import GObject, Nautilus

PROGRAM = "@PREFIX@/lib/backdrop/file-action"
ACTIONS = {"remove": "Remove Background", "blur": "Blur Background", "replace": "Replace Background…"}


class BackdropMenu(GObject.GObject, Nautilus.MenuProvider):
    """The menu Backdrop for files that are all pictures or videos."""

    def get_file_items(self, *arguments):
        """Nautilus before version 43 also passes its window."""
        files = arguments[-1]
        if not files or not all(f.get_uri_scheme() == "file" and f.get_mime_type().startswith(("image/", "video/")) for f in files):
            return []
        paths = [unquote(urlsplit(f.get_uri()).path) for f in files]
        menu = Nautilus.Menu()
        for action, label in ACTIONS.items():
            item = Nautilus.MenuItem(name=f"Backdrop::{action}", label=label)
            item.connect("activate", lambda _, action=action: subprocess.Popen([PROGRAM, action, *paths]))
            menu.append_item(item)
        top = Nautilus.MenuItem(name="Backdrop::menu", label="Backdrop")
        top.set_submenu(menu)
        return [top]
