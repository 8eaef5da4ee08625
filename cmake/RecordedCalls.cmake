# cmake -DNM=... -DOBJECT=... -P RecordedCalls.cmake: what the recorded sources call from outside, against what they
# may. Any other function might take a number of 128 bits for one of 80, and compute nonsense.
set(allowed
    # the recorder, and what has no sens_real
    "sens_record_.*" "sens_arena_.*" "sens_option_.*" "sens_status_.*" sens_fail sens_now
    # numbers made of others are constants
    "__float(un)?[sd]itf" "__extend[sd]ftf2"
    # of bytes, and of double
    "mem(cpy|set|move|cmp)" "str(len|cmp|ncmp|chr|rchr|str)" "v?snprintf" malloc calloc realloc free qsort "gsl_.*"
    "(exp|expm1|log|log1p|pow|sqrt|cbrt|sin|cos|tan|atan2|hypot|fabs|fmin|fmax|floor|ceil|round|ldexp)"
    # compilers' own
    _GLOBAL_OFFSET_TABLE_ __stack_chk_fail "__[a-z]*(san|gcov|sanitizer)_.*")
list(JOIN allowed "|" allowed)
execute_process(COMMAND ${NM} -u ${OBJECT} OUTPUT_VARIABLE lines RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "nm failed on ${OBJECT}")
endif()
string(REGEX MATCHALL "[A-Za-z_][A-Za-z0-9_]+\n" names "${lines}")
set(wrong "")
foreach(name IN LISTS names)
  string(STRIP "${name}" name)
  if(NOT name MATCHES "^(${allowed})$")
    list(APPEND wrong ${name})
  endif()
endforeach()
if(wrong)
  file(REMOVE ${OBJECT})
  list(JOIN wrong ", " wrong)
  message(FATAL_ERROR "the recorded sources call ${wrong}: not known to be recordable (sens/recorded.h)")
endif()
