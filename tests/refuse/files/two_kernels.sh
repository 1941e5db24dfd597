#!/bin/sh
# Stands for an executable that launches two kernels.
printf 'module first\n\nmodule second\n' >> "$TCP_DUMP"
