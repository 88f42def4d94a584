# Compares a picture that the documentation shows with what the program draws now.
# cmake -DPROGRAM=... -DARGUMENTS="plot;--spec;textbook" -DPICTURE=... -P picture.cmake
# With ROOFLINE_UPDATE_GOLDEN in the environment the picture is written anew.
execute_process(COMMAND "${PROGRAM}" ${ARGUMENTS} -q
  OUTPUT_VARIABLE drawn RESULT_VARIABLE code ERROR_VARIABLE errors)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "exit code ${code}: ${errors}")
endif()
if(DEFINED ENV{ROOFLINE_UPDATE_GOLDEN})
  file(WRITE "${PICTURE}" "${drawn}")
endif()
file(READ "${PICTURE}" kept)
if(NOT drawn STREQUAL kept)
  message(FATAL_ERROR "${PICTURE} is not what is drawn now: look at it, and write it anew with "
    "ROOFLINE_UPDATE_GOLDEN=1 ctest -L golden")
endif()
