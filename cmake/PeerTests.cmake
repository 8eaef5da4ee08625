# Tests that compare with the libraries of others; each is skipped, with a message, where its library is missing.

# Our steps against those of Boost odeint. Contraction would only add to the differences.
find_path(SENS_ODEINT_HEADERS boost/numeric/odeint.hpp)
mark_as_advanced(SENS_ODEINT_HEADERS)
if(cmocka_FOUND AND SENS_CXX AND SENS_ODEINT_HEADERS)
  add_library(odeint_steps OBJECT ${CMAKE_SOURCE_DIR}/tests/peers/odeint.cc)
  target_link_libraries(odeint_steps PRIVATE sens_flags)
  target_include_directories(odeint_steps PRIVATE ${CMAKE_SOURCE_DIR}/tests)
  target_compile_options(odeint_steps PRIVATE -ffp-contract=off)
  if(NOT SENS_ODEINT_HEADERS STREQUAL "/usr/include") # named as a system folder it would hide the compiler's own
    target_include_directories(odeint_steps SYSTEM PRIVATE ${SENS_ODEINT_HEADERS})
  endif()
  sens_add_c_test(${CMAKE_SOURCE_DIR}/tests/peers/test_odeint.c peers variant_baseline sens_core odeint_steps)
  set_target_properties(peers_test_odeint PROPERTIES LINKER_LANGUAGE CXX)
else()
  message(STATUS "Boost odeint, a C++ compiler or cmocka not found (packages${SENS_PACKAGES_odeint} g++): "
                 "the comparison of steps is skipped")
endif()

# Products by ADOL-C against those written by hand: the module's own sources, without the program.
if(cmocka_FOUND AND TARGET peer_adolc)
  sens_add_c_test(${CMAKE_SOURCE_DIR}/tests/peers/test_adolc.c peers variant_baseline sens_core ${SENS_ADOLC_LIBRARY})
  target_include_directories(peers_test_adolc PRIVATE ${CMAKE_SOURCE_DIR}/methods/peers/adolc)
  target_sources(peers_test_adolc PRIVATE ${CMAKE_SOURCE_DIR}/methods/peers/adolc/adolc.c
                                          ${CMAKE_SOURCE_DIR}/methods/peers/adolc/adolc_tape.cc)
  sens_adolc_settings(peers_test_adolc)
endif()

# The same products as `verify` sees them, in a module of problems.
if(TARGET peer_adolc)
  add_library(adolc_problems MODULE ${CMAKE_SOURCE_DIR}/tests/peers/adolc_problems.c
                                    ${CMAKE_SOURCE_DIR}/methods/peers/adolc/adolc_tape.cc)
  add_library(adolc_inside OBJECT ${CMAKE_SOURCE_DIR}/methods/peers/adolc/adolc.c)
  target_compile_definitions(adolc_inside PRIVATE sens_plugin=adolc_module)
  set_target_properties(adolc_inside PROPERTIES POSITION_INDEPENDENT_CODE ON)
  foreach(target adolc_inside adolc_problems)
    target_link_libraries(${target} PRIVATE sens_flags)
    target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/methods/peers/adolc)
    sens_adolc_settings(${target})
  endforeach()
  target_link_libraries(adolc_problems PRIVATE adolc_inside ${SENS_ADOLC_LIBRARY})
  foreach(name glv vdp heat forced oscillator)
    set(size)
    if(name STREQUAL glv)
      set(size n=8) # else verify takes 130, whose 17,030 parameters ADOL-C needs a minute for
    endif()
    add_test(NAME peers/verify_adolc_${name} COMMAND sensbench verify --quick ${verify_limit} ${size}
             --plugin $<TARGET_FILE:adolc_problems> --problem adolc_${name})
    set_tests_properties(peers/verify_adolc_${name} PROPERTIES LABELS peers TIMEOUT 1200)
  endforeach()
endif()

# PETSc's steps and gradients against ours; and what its faults do: the module's own sources, without the program.
if(cmocka_FOUND AND TARGET peer_petsc)
  file(GLOB petsc_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/methods/peers/petsc/*.c)
  sens_add_c_test(${CMAKE_SOURCE_DIR}/tests/peers/test_petsc.c peers variant_baseline sens_core PkgConfig::PETSc)
  target_sources(peers_test_petsc PRIVATE ${petsc_sources})
  target_include_directories(peers_test_petsc PRIVATE ${CMAKE_SOURCE_DIR}/methods/peers/petsc)
endif()

if(TARGET peer_sundials)
  add_test(NAME peers/hires COMMAND bash ${CMAKE_SOURCE_DIR}/tests/peers/hires.sh $<TARGET_FILE:sensbench>)
  set_tests_properties(peers/hires PROPERTIES LABELS peers TIMEOUT 300 SKIP_RETURN_CODE 77)
endif()

# Every option of CVODES' methods: the module's own sources, without the program.
if(cmocka_FOUND AND TARGET peer_sundials)
  file(GLOB cvodes_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/methods/peers/cvodes/*.c)
  get_target_property(sundials_linked peer_sundials LINK_LIBRARIES)
  sens_add_c_test(${CMAKE_SOURCE_DIR}/tests/peers/test_cvodes.c peers variant_baseline sens_core ${sundials_linked})
  target_sources(peers_test_cvodes PRIVATE ${cvodes_sources})
  target_include_directories(peers_test_cvodes PRIVATE ${CMAKE_SOURCE_DIR}/methods/peers/cvodes)
  target_include_directories(peers_test_cvodes SYSTEM PRIVATE ${sundials_headers})
endif()
