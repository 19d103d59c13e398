# SPDX-License-Identifier: MIT
# CPU seconds of each way of reading, user above system, and the faults of each open.
set title "10,000 times: open a file of 40,000 bytes, read it in records of 256, close it"
set ylabel "seconds of CPU time"
set style data histogram
set offsets 0, 0, 0.15, 0
set style histogram rowstacked
plot data using 3:xtic(1) title "system" lc rgb dark, \
     "" using 2 title "user" lc rgb light, \
     "" using 0:($2+$3):(sprintf("%.2f faults\nper open", $4/10000)) \
	with labels offset 0,1.3 font ",10" notitle
