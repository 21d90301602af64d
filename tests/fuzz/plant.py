#!/usr/bin/python3
"""Print the source in which a mistake is planted for a fuzz target: plant.py TARGET"""

import sys

from targets import read_plants

sys.stdout.write(read_plants()[sys.argv[1]].text())
