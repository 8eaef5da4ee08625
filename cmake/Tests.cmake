# ctest. A C test is one cmocka program test_*.c below tests/<folder>, a shell test one script below tests/cli, whatever
# the folders in between, which are those of the sources; the label is the folder. unit, problem and method tests link
# the baseline copy of the numerical sources; bench tests link the program.
if(NOT cmocka_FOUND)
  message(STATUS "cmocka not found: the C tests are skipped")
endif()

function(sens_add_c_test source folder)
  get_filename_component(name ${source} NAME_WE)
  set(target ${folder}_${name})
  add_executable(${target} ${source})
  target_link_libraries(${target} PRIVATE sens_flags PkgConfig::cmocka ${ARGN})
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/tests)
  add_test(NAME ${folder}/${name} COMMAND ${target} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(${folder}/${name} PROPERTIES LABELS ${folder} TIMEOUT 600)
endfunction()

if(cmocka_FOUND)
  foreach(folder unit problem method)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/${folder}/test_*.c)
    foreach(source IN LISTS sources)
      sens_add_c_test(${source} ${folder} variant_baseline sens_core)
    endforeach()
  endforeach()
  # The lane kernels of every instruction set that the compiler knows; a machine that lacks it skips them.
  foreach(isa avx2 avx512)
    foreach(name test_lanes test_packed test_blocks test_wave)
      if(TARGET variant_${isa})
        set(target unit_${name}_${isa})
        add_executable(${target} ${CMAKE_SOURCE_DIR}/tests/unit/kernels/${name}.c)
        target_link_libraries(${target} PRIVATE sens_flags PkgConfig::cmocka variant_${isa} sens_core)
        string(TOUPPER ${isa} define)
        target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/tests)
        target_compile_definitions(${target} PRIVATE SENS_TEST_FMA SENS_TEST_${define})
        add_test(NAME unit/${name}_${isa} COMMAND ${target})
        set_tests_properties(unit/${name}_${isa} PROPERTIES LABELS unit TIMEOUT 600 SKIP_RETURN_CODE 77)
      endif()
    endforeach()
  endforeach()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/bench/test_*.c)
  foreach(source IN LISTS sources)
    sens_add_c_test(${source} bench sens_bench)
    get_filename_component(name ${source} NAME_WE)
    set_tests_properties(bench/${name} PROPERTIES SKIP_RETURN_CODE 77)
  endforeach()
endif()

# A module with a part that can be recorded, by each compiler there is; the test exports to it what the program does.
if(TARGET bench_test_recording_module)
  set_target_properties(bench_test_recording_module PROPERTIES ENABLE_EXPORTS ON)
  target_sources(bench_test_recording_module PRIVATE ${SENS_CORE_VARIED})
  foreach(compiler gcc clang)
    find_program(SENS_TEST_${compiler} ${compiler})
    mark_as_advanced(SENS_TEST_${compiler})
    if(SENS_TEST_${compiler})
      set(module ${CMAKE_BINARY_DIR}/tricks_${compiler})
      set(compile ${SENS_TEST_${compiler}} -std=c11 -fPIC -fvisibility=hidden -Wall -Wextra -Wno-unused
                  -I${CMAKE_SOURCE_DIR}/harness/include "-DTRICKS=\"tricks_${compiler}\""
                  -c ${CMAKE_SOURCE_DIR}/tests/recorded/tricks.c)
      add_custom_command(
        OUTPUT ${module}.so
        COMMAND ${compile} -O2 -g -o ${module}.o
        COMMAND ${compile} ${SENS_RECORDED_FLAGS} -o ${module}_recorded.o
        COMMAND ${SENS_TEST_${compiler}} -shared -o ${module}.so ${module}.o ${module}_recorded.o -lm
        DEPENDS ${CMAKE_SOURCE_DIR}/tests/recorded/tricks.c ${CMAKE_SOURCE_DIR}/harness/include/sens/recorded.h
                ${CMAKE_SOURCE_DIR}/harness/include/sens/plugin.h
                ${CMAKE_SOURCE_DIR}/harness/include/sens/real.h VERBATIM)
      target_sources(bench_test_recording_module PRIVATE ${module}.so)
      list(APPEND tricks "\"${module}.so\", \"tricks_${compiler}\"")
    endif()
  endforeach()
  list(JOIN tricks ", " tricks)
  target_compile_definitions(bench_test_recording_module PRIVATE "TRICKS=${tricks}")
endif()

file(GLOB_RECURSE scripts CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/cli/*.sh)
foreach(script IN LISTS scripts)
  get_filename_component(name ${script} NAME_WE)
  add_test(NAME cli/${name} COMMAND bash ${script} $<TARGET_FILE:sensbench> WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(cli/${name} PROPERTIES LABELS cli TIMEOUT 600 SKIP_RETURN_CODE 77)
endforeach()

# verify: every problem, cost and method that is registered, and the tableaux.
# What looks at every access to memory takes ten times as long, and more.
set(verify_limit)
if(SENS_SANITIZE)
  set(verify_limit --timeout 500)
endif()
# The limit tells what does not return; a group of checks of saprc99 takes 40 s of its 60 where nothing else runs.
set(saprc99_limit --timeout 300)
if(SENS_SANITIZE)
  set(saprc99_limit)
endif()
function(sens_add_verify_test name)
  add_test(NAME verify/${name} COMMAND sensbench verify --quick ${verify_limit} ${ARGN})
  set_tests_properties(verify/${name} PROPERTIES LABELS verify TIMEOUT 600)
endfunction()
foreach(kind problem cost method)
  string(TOUPPER ${kind} property)
  get_property(names GLOBAL PROPERTY SENS_NAMES_${property})
  foreach(name IN LISTS names)
    sens_add_verify_test(${kind}/${name} --${kind} ${name})
  endforeach()
endforeach()
file(GLOB models CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/problems/models/*.ode)
foreach(model IN LISTS models)
  get_filename_component(name ${model} NAME_WE)
  sens_add_verify_test(problem/${name} --problem ${name} ${${name}_limit})
endforeach()
# Right ones that are hard to look at: a coefficient that vanishes beside terms that are lost in its sums, and slopes
# near the largest number.
sens_add_verify_test(problem/akzo_eight --problem akzo cells=8 --seed 9 --check "reach.*")
sens_add_verify_test(problem/ring_modulator_steep --problem ring_modulator delta=1000 --check "reach.*")
# Rates underflow far from the nominal temperature, and lose their digits before the frequency makes them numbers again.
add_test(NAME verify/problem/arrhenius COMMAND sensbench verify ${verify_limit} --seed 3 --check reach.far
         --models ${CMAKE_SOURCE_DIR}/tests/models/arrhenius.ode --problem arrhenius)
set_tests_properties(verify/problem/arrhenius PROPERTIES LABELS verify TIMEOUT 600)
# A gradient whose largest entry no perturbed run of this seed moves: its bound must not be less than its own rounding.
sens_add_verify_test(method/unmoved_entry --seed 2006 --problem glv --method discrete_adjoint --check pair.frozen)
# Not quick, which takes no grid: its solution has kinks in x0 beside the initial state.
add_test(NAME verify/cost/identity_full COMMAND sensbench verify ${verify_limit} --cost identity --check cost.solve)
set_tests_properties(verify/cost/identity_full PROPERTIES LABELS verify TIMEOUT 600)
get_property(names GLOBAL PROPERTY SENS_NAMES_PEER_METHOD)
foreach(name IN LISTS names)
  if(name MATCHES "^cvodes_")
    sens_add_verify_test(peer/${name}_bdf --method ${name} lmm=bdf)
    set_tests_properties(verify/peer/${name}_bdf PROPERTIES LABELS peers)
  endif()
  sens_add_verify_test(peer/${name} --method ${name})
  set_tests_properties(verify/peer/${name} PROPERTIES LABELS peers)
endforeach()
get_property(names GLOBAL PROPERTY SENS_NAMES_PEER_PROVIDER)
foreach(name IN LISTS names)
  sens_add_verify_test(peer/${name} --provider ${name})
  set_tests_properties(verify/peer/${name} PROPERTIES LABELS peers)
endforeach()
sens_add_verify_test(tableaux --check "tableau.*")
# Derived products of every problem, models among them, and gradients of every cost; all of verify on them is
# harness/scripts/verify-providers.sh. Compiled, grids and the largest of the models are left to that.
sens_add_verify_test(provider/tape --provider tape --problem "*" --cost "*" ${saprc99_limit})
sens_add_verify_test(provider/compiled --provider compiled) # without a compiler, the tape again
# One or two minutes, of which the 211 parameters of one model are most; more where others are at work.
set_tests_properties(verify/problem/saprc99 verify/provider/tape PROPERTIES TIMEOUT 1500)
foreach(name brusselator hires lorenz oregonator sir)
  sens_add_verify_test(provider/compiled_${name} --provider compiled --problem ${name})
  list(APPEND compiled_tests verify/provider/compiled_${name})
endforeach()
set_tests_properties(verify/provider/compiled ${compiled_tests}
                     PROPERTIES ENVIRONMENT SENSBENCH_CACHE=${CMAKE_BINARY_DIR}/compiled)
# Minutes of the system's compiler: sanitizers and the repro build see the same code in shorter tests.
set_property(TEST verify/provider/compiled ${compiled_tests} APPEND PROPERTY LABELS slow)
if(cmocka_FOUND)
  foreach(name test_generate_loops test_generate_random test_compiled)
    set_property(TEST bench/${name} APPEND PROPERTY LABELS slow)
  endforeach()
endif()

# Whole modules of others: the right ones that verify must pass, and a third of the wrong ones that it must catch.
file(GLOB modules CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/modules/wrong/*.[ce]*
                                    ${CMAKE_SOURCE_DIR}/tests/modules/right/*.[ce]*)
foreach(module IN LISTS modules)
  get_filename_component(kind ${module} DIRECTORY)
  get_filename_component(kind ${kind} NAME)
  get_filename_component(name ${module} NAME_WE)
  if(TARGET mutants_row)
    add_test(NAME modules/${kind}/${name} COMMAND bash ${CMAKE_SOURCE_DIR}/tests/modules/run.sh --one-in 3
             $<TARGET_FILE:sensbench> $<TARGET_FILE:mutants_row> ${module})
    set_tests_properties(modules/${kind}/${name} PROPERTIES LABELS modules TIMEOUT 600 SKIP_RETURN_CODE 77)
  endif()
endforeach()

include(cmake/PeerTests.cmake)
