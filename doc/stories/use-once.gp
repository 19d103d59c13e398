# SPDX-License-Identifier: MIT
# Time of the mapped reader after each kind of streaming, and how much of its file had stayed.
set terminal svg size 760,560 dynamic font "sans-serif,12" background rgb "white"
set multiplot layout 2,1 title "A mapped file of 33% of memory, read four times, after 400% of memory was streamed"
set lmargin 9
set rmargin 9
set style data histogram
set style histogram clustered gap 1
set boxwidth 0.9 relative
set xtics rotate by -20 left
set key top right
set ylabel "seconds"
plot data using 2:xtic(1) title "MADV_RANDOM" lc rgb warm, \
     "" using 4 title "no advice" lc rgb dark
set ylabel "% cached before"
set yrange [0:110]
unset key
plot data using 3:xtic(1) lc rgb warm, "" using 5 lc rgb dark
unset multiplot
