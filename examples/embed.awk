# SPDX-License-Identifier: MIT
#
# Job files as a table in C, a string per line: what gen/examples.c is made of.

BEGIN {
	print "/* Written by make from examples/. */"
	print "#include \"core/examples.h\""
	print ""
	print "extern const struct example examples_embedded[];"
	print ""
	print "const struct example examples_embedded[] = {"
}

FNR == 1 {
	if (NR > 1)
		print "\t},"
	name = FILENAME
	sub(/.*\//, "", name)
	sub(/\.ini$/, "", name)
	printf "\t{ \"%s\",\n", name
}

{
	gsub(/\\/, "\\\\")
	gsub(/"/, "\\\"")
	gsub(/\t/, "\\t")
	printf "\t\"%s\\n\"\n", $0
}

END {
	if (NR)
		print "\t},"
	print "\t{ NULL, NULL },"
	print "};"
}
