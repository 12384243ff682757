"""`python -m langchain_chunkers.cli`: the command line where no script is installed."""

from langchain_chunkers.cli import main

if __name__ == "__main__":
    main()
