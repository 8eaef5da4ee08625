# Run by every build: writes the header OUT with the commit that is being built, "-dirty" where it has changes, or
# FALLBACK outside a git checkout. The header is left alone when it says so already.
execute_process(COMMAND git --no-optional-locks describe --always --dirty --abbrev=10 --exclude=*
                OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT commit)
  set(commit ${FALLBACK})
endif()
file(CONFIGURE OUTPUT ${OUT} CONTENT "#define SENS_GIT_TEXT \"${commit}\"\n")
