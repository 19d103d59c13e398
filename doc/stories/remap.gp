# SPDX-License-Identifier: MIT
# Bandwidth by how often the mapping moves.
set title "128 KiB reads of a mapped file, all of it in the page cache"
set ylabel "GB/s"
set style data histogram
set style histogram clustered gap 0
set offsets 0, 0, 2, 0
plot data using ($2/1e9):xtic(1) notitle lc rgb dark, \
     "" using 0:($2/1e9):(sprintf("%d remaps", $3)) with labels offset 0,0.7 font ",10" notitle
