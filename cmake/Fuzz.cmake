# Fuzz targets: tests/fuzz/NAME.c, each a function of bytes. Everywhere they replay what is stored in
# tests/fuzz/corpus/NAME, as ordinary tests; with SENS_FUZZ (preset fuzz: clang) libFuzzer makes up inputs instead, and
# the program's own sources, not the numerical ones, tell it which branches were taken. See docs/fuzzing.md.
set(fuzz_dir ${CMAKE_SOURCE_DIR}/tests/fuzz)
add_library(fuzz_support STATIC ${fuzz_dir}/fuzz.c)
target_link_libraries(fuzz_support PUBLIC sens_bench)
target_include_directories(fuzz_support PUBLIC ${fuzz_dir})
add_custom_target(fuzzers)
foreach(name sweep values result resume reference command message model)
  add_executable(fuzz_${name} ${fuzz_dir}/${name}.c)
  target_link_libraries(fuzz_${name} PRIVATE fuzz_support)
  # Away from the modules in peers: whether these are built must not change what an input does.
  set_target_properties(fuzz_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
  add_dependencies(fuzzers fuzz_${name})
  if(SENS_FUZZ)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
  else()
    target_sources(fuzz_${name} PRIVATE ${fuzz_dir}/replay.c)
    add_test(NAME fuzz/${name} COMMAND fuzz_${name} ${fuzz_dir}/corpus/${name} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
    set_tests_properties(fuzz/${name} PROPERTIES LABELS fuzz TIMEOUT 600)
  endif()
endforeach()

target_link_options(fuzz_resume PRIVATE -Wl,--wrap=machine_program,--wrap=machine_write_prelude)
target_link_options(fuzz_command PRIVATE -Wl,--wrap=contender_load) # else any program of this machine would be run

# New inputs for a minute; once is enough.
if(NOT SENS_FUZZ AND NOT SENS_SANITIZE AND NOT SENS_REPRO AND NOT SENS_COVERAGE)
  add_test(NAME fuzz/minute COMMAND ${fuzz_dir}/run.sh 60s WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(fuzz/minute PROPERTIES LABELS fuzz TIMEOUT 1200 SKIP_RETURN_CODE 77)
endif()
