"""Results that are too long to be held: texts in files without names, read when they are asked for."""
import os

_PIECE = 1 << 18


class Spooled:
    """A text in a file that is gone with this object."""

    __slots__ = ("_file",)

    def __init__(self, file):
        self._file = file

    def __del__(self):
        os.close(self._file)

    def pieces(self):
        place = 0
        while piece := os.pread(self._file, _PIECE, place):
            place += len(piece)
            yield piece

    def text(self):
        return b"".join(self.pieces()).decode()

    def lines(self):
        """With their line feeds, as bytes."""
        rest = b""
        for piece in self.pieces():
            *lines, rest = (rest + piece).split(b"\n")
            for line in lines:
                yield line + b"\n"
        if rest:
            yield rest

    def __len__(self):
        return os.fstat(self._file).st_size
