"""Optional packages: one place that imports them and says what to install."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from langchain_chunkers.errors import MissingExtraError

__all__ = ["need"]


def need(module: str, extra: str, what_for: str) -> ModuleType:
    """Import an optional module, or say how to get it.

    Args:
        module: Dotted name of the module.
        extra: The extra of this package that brings it.
        what_for: What asked for it, as the message names it.

    Returns:
        The module.

    Raises:
        MissingExtraError: It is not installed.

    Example:
        >>> need("json", "cli", "reading JSON").__name__
        'json'
    """
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        msg = (
            f"{what_for} needs the package {package}, which is not installed. "
            f"Install it with: pip install 'langchain-chunkers[{extra}]'"
        )
        raise MissingExtraError(msg, name=module) from error
