"""JSON that is read as it comes: a long list under a certain key is never held as text, nor as the objects of a JSON parser.

Whatever is complete in the text at hand is left to Python's own parser; only what is longer is taken apart here, level by
level. So memory grows with what is kept of the items, not with the file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from json import JSONDecodeError
from typing import Any, NoReturn, TextIO

from ..errors import echo
from .network import refuse

PIECE = 1 << 20         # characters that are at hand, at least, unless the text ends
LONGEST = 10**7         # characters of one text or number
WORD = 16               # no word of JSON is longer
_SPACE = re.compile(r"[ \t\n\r]*")


class JsonStream:
    """One JSON value from a text file. Items of lists under the key `streamed` go through `keep` as soon as they are read;
    there may be `most` of them in all, and of items in any one list."""

    def __init__(self, file: TextIO, streamed: str, keep: Callable[[Any], Any], most: int) -> None:
        self.file, self.streamed, self.keep, self.most = file, streamed, keep, most
        self.text, self.at, self.ended = "", 0, False
        self.lines = 0          # before the text at hand
        self.at_once = True     # whether items of the text at hand were told apart all at once so far
        self.kept = 0
        self.decoder = json.JSONDecoder(parse_float=_no_float, parse_constant=_no_float, object_pairs_hook=_unique_keys)

    def value(self) -> Any:
        """All of it; InvalidInput if it is not JSON, too long or nested too deeply."""
        try:
            found = self._value(None)
            if self._next():
                self._wrong("Extra data")
        except JSONDecodeError as error:
            self._wrong(error.msg, error.pos)
        except RecursionError:
            refuse("The network is nested too deeply.")
        except ValueError as error:
            if isinstance(error, UnicodeDecodeError):
                raise
            refuse("The network contains an integer that is too long.", "Write long numbers as strings.")
        return found

    # --- text at hand

    def _more(self, least: int = 0) -> None:
        """Read on, until so many characters are at hand (a piece, at least) or the text ends."""
        least = max(least, PIECE)
        if self.ended or len(self.text) - self.at >= max(1, least // 2):
            return
        self.lines += self.text.count("\n", 0, self.at)
        parts = [self.text[self.at:]]
        size = len(parts[0])
        while size < least:
            part = self.file.read(PIECE)
            if not part:
                self.ended = True
                break
            parts.append(part)
            size += len(part)
        self.text, self.at, self.at_once = "".join(parts), 0, True

    def _next(self) -> str:
        """The next character that is no space, "" at the end; it is not taken."""
        while True:
            self._more()
            space = _SPACE.match(self.text, self.at)
            assert space is not None
            self.at = space.end()
            if self.at < len(self.text):
                return self.text[self.at]
            if self.ended:
                return ""

    def _take(self, character: str, otherwise: str) -> None:
        if self._next() != character:
            self._wrong(otherwise)
        self.at += 1

    def _wrong(self, what: str, at: int | None = None) -> NoReturn:
        line = self.lines + self.text.count("\n", 0, self.at if at is None else at) + 1
        refuse(f"The network is not valid JSON: {what} in line {line}.")

    # --- values

    def _value(self, key: str | None) -> Any:
        first = self._next()
        if first not in ("{", "["):
            return self._scalar()
        if key != self.streamed:
            try:
                found, self.at = self.decoder.raw_decode(self.text, self.at)
                return found
            except JSONDecodeError:
                if self.ended:
                    raise
        return self._object() if first == "{" else self._list(key)

    def _scalar(self) -> Any:
        """A text, a number or a word: as much of the text is read as it takes."""
        least = PIECE
        while True:
            try:
                found, end = self.decoder.raw_decode(self.text, self.at)
                if end < len(self.text) or self.ended:
                    self.at = end
                    return found
            except JSONDecodeError as error:
                cut = error.msg.startswith(("Unterminated", "Invalid")) or len(self.text) - self.at < WORD
                if self.ended or not cut:
                    raise
            if len(self.text) - self.at > LONGEST:
                refuse(f"The network contains a text or a number of more than {LONGEST} characters.")
            least = max(least, 4 * (len(self.text) - self.at))
            self._more(least)

    def _object(self) -> dict[str, Any]:
        self._take("{", "Expecting value")
        pairs: list[tuple[str, Any]] = []
        while self._next() != "}":
            if pairs:
                self._take(",", "Expecting ',' delimiter")
            if self._next() != '"':
                self._wrong("Expecting property name enclosed in double quotes")
            name = self._scalar()
            self._take(":", "Expecting ':' delimiter")
            pairs.append((name, self._value(name)))
            self._limit(len(pairs))
        self.at += 1
        return _unique_keys(pairs)

    def _list(self, key: str | None) -> list[Any]:
        self._take("[", "Expecting value")
        found: list[Any] = []
        streamed = key == self.streamed
        while self._next() != "]":
            if found:
                self._take(",", "Expecting ',' delimiter")
                self._next()
            some = self._some() if streamed else None
            if some is None:
                found.append(self.keep(self._value(None)) if streamed else self._value(None))
                some = [None]
            else:
                found.extend(map(self.keep, some))
            self._limit(len(found))
            if streamed:
                self.kept += len(some)
                self._limit(self.kept)
        self.at += 1
        return found

    def _some(self) -> list[Any] | None:
        """The items of a list up to its end, or up to the last one that surely is complete, all at once; None if they are
        not so easily told apart. That is tried once for the text at hand: it takes as long as all of it."""
        if not self.at_once:
            return None
        rest = "[" + self.text[self.at:]
        last = max(rest.rfind('"], ['), rest.rfind('"],['))
        for end, tried in ((None, rest), (last + 2, rest[:last + 2] + "]")):
            try:
                items, length = self.decoder.raw_decode(tried)
            except JSONDecodeError:
                if self.ended or last < 0:
                    break
                continue
            if items:
                self.at += length - 2 if end is None else end - 1      # before the bracket that ends the list; after an item
                return list(items)
            break
        self.at_once = False
        return None

    def _limit(self, items: int) -> None:
        if items > self.most:
            refuse(f"The network has more than {self.most} entries.")


def _no_float(text: str) -> NoReturn:
    refuse(f"The network contains the inexact JSON number {echo(text)}.", 'Write it as a string, such as "1/10".')


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        refuse("The network has an object with the same key twice.")
    return result
