"""The comparator: what a revision and the working tree answer to the same commands, and where they differ.

It guards a change of structure: `python -m tests.comparator [REVISION]` runs both over one corpus and ends in 1 where a
verdict, an exit code, a digest, a value of a document or a released file is another one and nothing says why.
`named.yaml` says why: the difference, and the words of the CHANGELOG that name it. The file `base` names the
commit that CI compares with.
"""
