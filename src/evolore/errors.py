"""Every exception Evolore raises, split by what the caller can do about it.

::

    EvoloreError
    ├── InputError                  fix the input
    │   ├── InvalidValue            a value outside its range or form
    │   │   └── InvalidOutlineCode  a code that is not whole numbers joined by dots
    │   ├── UnreadableSource        a file or folder that cannot be taken in
    │   ├── NamespaceNotFound       a namespace nothing was written to
    │   ├── NotFound                an id that names nothing here
    │   └── AmbiguousId             the beginning of several ids
    ├── SetupError                  fix the set-up
    │   ├── EmbedderMismatch        the store was built with another embedding model
    │   ├── EmbedderBroken          the embedder refuses, or returns what cannot be compared
    │   ├── MissingExtra            an optional part is used that is not installed
    │   ├── ChatModelMissing        what was asked needs a chat model, and there is none
    │   ├── ChatKeyMissing          the chat model needs a key, and there is none
    │   ├── StoreVersionError       the store was written by another version of Evolore
    │   ├── StoreDamaged            the store's file is not one of ours, or is broken
    │   ├── StoreUnwritable         the store's folder cannot be made or written
    │   ├── InvalidSetting          a setting in a file or the environment is wrong
    │   └── AccessDenied            a server refuses the key, or what it may do
    └── TryAgain                    nothing is wrong with what was asked
        ├── StoreBusy               another process held the store for too long
        ├── StoreFailed             the disk is full or failing
        └── ServerUnreachable       no server answers, or it failed

Every message says what was wrong, the value, and what to do.
"""

from __future__ import annotations


class EvoloreError(Exception):
    """Serve as the base of every error Evolore raises on purpose."""


class InputError(EvoloreError):
    """Say that what was given must change."""


class InvalidValue(InputError, ValueError):
    """Say that a value is outside its range or not of its form."""


class InvalidOutlineCode(InvalidValue):
    """Say that a text is not an outline code, and how one is written."""


class UnreadableSource(InputError):
    """Say that a file or folder cannot be taken in, and why."""


class NamespaceNotFound(InputError):
    """Say that something needs a namespace that nothing was written to yet."""


class NotFound(InputError):
    """Say that an id names nothing in this namespace."""


class AmbiguousId(InputError):
    """Say that the beginning of an id fits several."""


class SetupError(EvoloreError):
    """Say that the installation, the store or a setting must change."""


class EmbedderMismatch(SetupError):
    """Say that the store's vectors come from another model than the one at hand."""


class EmbedderBroken(SetupError):
    """Say that the embedder refuses texts, or returns vectors of a wrong shape or length."""


class ChatModelMissing(SetupError):
    """Say that what was asked needs a chat model, and how to set one up."""


class ChatKeyMissing(SetupError):
    """Say which environment variable should hold the chat model's key."""


class StoreVersionError(SetupError):
    """Say that the store was written by another version."""


class StoreDamaged(SetupError):
    """Say that a file is not a store, or no longer a whole one."""


class StoreUnwritable(SetupError):
    """Say that the store's folder cannot be made or written."""


class InvalidSetting(SetupError, ValueError):
    """Say which setting is wrong, where it was read and what it may be."""


class AccessDenied(SetupError):
    """Say that a server takes no such key, or that the key may not do what was asked."""


class MissingExtra(SetupError, ImportError):
    """Say which optional part is not installed, and the command that installs it."""


class TryAgain(EvoloreError):
    """Say that the same call may succeed a moment later."""


class StoreBusy(TryAgain):
    """Say that another process held the store for longer than we wait."""


class StoreFailed(TryAgain):
    """Say that the disk did not do its part; the same call may succeed once it can."""


class ServerUnreachable(TryAgain):
    """Say that no server answered, or that it failed by itself."""
