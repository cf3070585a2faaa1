"""The command line as ``python -I -m auditor``: isolated, so that nothing is imported from the working folder."""

from auditor.cli import main

if __name__ == "__main__":
    main()
