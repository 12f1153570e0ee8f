"""A run as a recording of the rerun viewer: python run_to_rerun.py demo-fuse demo.rrd [dataset folder]."""

import sys

from fusepy.rerun_export import to_rerun

if __name__ == "__main__":
    count = to_rerun(*sys.argv[1:4])
    print(f"{count} updates; look at them with: rerun {sys.argv[2]}")
