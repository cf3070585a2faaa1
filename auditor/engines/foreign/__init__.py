"""Files of other programs: workbooks, and files of statistics packages, each read whole into memory.

A module is one format, under the ending of its files' names, and has ``read(path, dialect, most)``: the file as a
`ForeignTable`, in at most so many bytes; and `NAMES`: what its columns are called, fast. One
that is written, too, has `WRITER`: how pandas does it.
"""
