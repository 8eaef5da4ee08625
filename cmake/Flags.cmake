# Flags of every target, through the interface library sens_flags.
add_library(sens_flags INTERFACE)
target_compile_options(sens_flags INTERFACE -Wall -Wextra -Wconversion -Wshadow -Wvla -Wpedantic
                                            "$<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes;-Wmissing-prototypes>")
if(SENS_WERROR)
  target_compile_options(sens_flags INTERFACE -Werror)
endif()
target_compile_definitions(sens_flags INTERFACE _POSIX_C_SOURCE=200809L _DEFAULT_SOURCE)
target_include_directories(sens_flags INTERFACE ${CMAKE_SOURCE_DIR}/harness/include)

# No -ffast-math: nothing is reassociated. Contraction is asked for by name, because -std=c11 turns it off.
set(SENS_FLOAT_FLAGS -fno-math-errno -fno-trapping-math)
if(SENS_REPRO)
  list(APPEND SENS_FLOAT_FLAGS -ffp-contract=off)
  target_compile_definitions(sens_flags INTERFACE SENS_TEST_REPRO) # tests then ask for equal bits
else()
  list(APPEND SENS_FLOAT_FLAGS -ffp-contract=fast)
endif()
set(CMAKE_C_FLAGS_RELEASE "-O3 -DNDEBUG")
set(CMAKE_C_FLAGS_DEBUG "-O1 -g")

if(SENS_SANITIZE)
  # Lines and no variables: what a report prints. A hundred tests are linked with all of it.
  add_compile_options(-fsanitize=${SENS_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=${SENS_SANITIZE})
  # At a fixed address: the checks leave 1.4 million addresses in the data of the program, which each start would move.
  add_link_options($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-no-pie>)
endif()
if(SENS_COVERAGE)
  add_compile_options(--coverage)
  add_link_options(--coverage)
endif()

# How a source is compiled to be recorded (sens/recorded.h, which refuses others).
set(SENS_RECORDED_FLAGS -include sens/recorded.h -mlong-double-128 -O0 -g1 -fno-builtin -ffp-contract=off)
