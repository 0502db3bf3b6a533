# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Writes OUTPUT: the text of FILE as string literals, a line each.
file(READ ${FILE} content)
string(REPLACE "\n" "\\n)page\",\nR\"page(" content "${content}")
string(REPLACE "\\n)page\"" ")page\" \"\\n\"" content "${content}")
file(WRITE ${OUTPUT} "R\"page(${content})page\"\n")
