# SPDX-License-Identifier: MIT
# What all charts share. data, chart: file names, given by draw.sh.
set terminal svg size 760,360 dynamic font "sans-serif,12" background rgb "white"
set output chart
set style fill solid noborder
set boxwidth 0.75 relative
set border 3 lc rgb "#555555"
set tics nomirror out scale 0.5
set grid ytics lc rgb "#dddddd" lt 1
set key top left reverse Left samplen 1 noenhanced
set format y "%g"
set yrange [0:*]
dark = 0x1f5f8b
light = 0x9cc3dd
warm = 0xd9822b
