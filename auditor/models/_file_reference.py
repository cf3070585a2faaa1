"""Marking a parameter whose text names a file."""


class FileReference:
    """In ``Annotated``: the text is a file name, relative to the policy that says so; resolved when that is loaded."""
