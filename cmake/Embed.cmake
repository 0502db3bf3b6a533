# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Writes OUTPUT: the files of the list FILES as one table of names and texts.
set(text "")
foreach(file ${FILES})
  get_filename_component(name ${file} NAME)
  file(READ ${file} content)
  # Compilers bound a literal's length: pieces of a line each.
  string(REPLACE "\n" ")dmc\" \"\\n\"\n  R\"dmc(" content "${content}")
  string(APPEND text "{\"${name}\", R\"dmc(${content})dmc\"},\n")
endforeach()
file(WRITE ${OUTPUT} "${text}")
