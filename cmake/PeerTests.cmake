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

# Derivative products by libraries, of a model too; verify/peer is about problems in C.
foreach(provider adolc tmbad sacado)
  if(TARGET peer_${provider})
    add_test(NAME peers/verify_${provider}_model
             COMMAND sensbench verify --quick ${verify_limit} --provider ${provider} --problem clock)
    set_tests_properties(peers/verify_${provider}_model PROPERTIES LABELS peers)
  endif()
endforeach()

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
