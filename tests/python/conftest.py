"""Examples of hypothesis are the same in each run, and none is kept in the tree."""
from hypothesis import settings

settings.register_profile("tree", database=None, deadline=None, derandomize=True)
settings.load_profile("tree")
