"""Shows what a splitter did to a text: as a page, in a notebook, in a terminal.

`view` is the one way in. `panes` finds out what to show, `page` and `terminal` draw it, and
`safe` keeps a hostile text from doing anything.
"""

from langchain_chunkers.view.make import View, view

__all__ = ["View", "view"]
