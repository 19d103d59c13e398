# SPDX-License-Identifier: MIT
# Seeks per second fall as the bytes rise that each reads underneath.
set title "fseek() to random bytes of 4,000,000, by size of the buffer"
set ylabel "thousand seeks per second" tc rgb dark
set y2label "KiB read underneath per seek" tc rgb warm
set ytics tc rgb dark
set y2tics tc rgb warm
set y2range [0:*]
set key outside top center horizontal
plot data using 0:($2/1000):xtic(1) with boxes title "seeks per second" lc rgb light, \
     "" using 0:($3/1024) axes x1y2 with linespoints title "bytes per seek" lc rgb warm pt 7 ps 0.6 lw 2
