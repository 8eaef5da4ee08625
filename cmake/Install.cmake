# Binary, contract headers, sweeps, templates, plot scripts, references, man page, completion, and a CMake package for
# modules built outside this tree (find_package(sensbench), target sensbench::module).
install(TARGETS sensbench RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY harness/include/sens DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY harness/sweeps harness/paper/sweeps harness/templates plots
        DESTINATION ${CMAKE_INSTALL_DATADIR}/sensbench)
install(FILES harness/paper/measured_before.tsv harness/paper/published_fig2.tsv
        harness/paper/published_times.tsv
        DESTINATION ${CMAKE_INSTALL_DATADIR}/sensbench/paper)
install(PROGRAMS harness/scripts/figures.sh DESTINATION ${CMAKE_INSTALL_DATADIR}/sensbench/scripts)
install(FILES harness/scripts/rows.awk harness/scripts/facts.awk DESTINATION ${CMAKE_INSTALL_DATADIR}/sensbench/scripts)
install(DIRECTORY harness/page/web/ DESTINATION ${CMAKE_INSTALL_DATADIR}/sensbench/page)
install(DIRECTORY problems/models DESTINATION ${CMAKE_INSTALL_DATADIR}/sensbench)
install(DIRECTORY docs/contenders DESTINATION ${CMAKE_INSTALL_DATADIR}/sensbench USE_SOURCE_PERMISSIONS
        PATTERN __pycache__ EXCLUDE)
install(DIRECTORY results/reference DESTINATION ${CMAKE_INSTALL_DATADIR}/sensbench)
install(FILES LICENSE README.md results/FORMAT.md DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)

get_property(peers GLOBAL PROPERTY SENS_PEER_TARGETS)
add_custom_command(
  OUTPUT ${CMAKE_BINARY_DIR}/sensbench.1 ${CMAKE_BINARY_DIR}/sensbench.bash
  COMMAND ${CMAKE_COMMAND} -E env --unset=SENSBENCH_MODELS $<TARGET_FILE:sensbench> --man
          > ${CMAKE_BINARY_DIR}/sensbench.1
  COMMAND ${CMAKE_COMMAND} -E env --unset=SENSBENCH_MODELS $<TARGET_FILE:sensbench> --completion
          > ${CMAKE_BINARY_DIR}/sensbench.bash
  DEPENDS sensbench ${peers} VERBATIM COMMENT "Manual page and completion from the option tables")
add_custom_target(manual ALL DEPENDS ${CMAKE_BINARY_DIR}/sensbench.1 ${CMAKE_BINARY_DIR}/sensbench.bash)
install(FILES ${CMAKE_BINARY_DIR}/sensbench.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${CMAKE_BINARY_DIR}/sensbench.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
        RENAME sensbench)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/sensbench)
file(RELATIVE_PATH prefix_from_package ${CMAKE_INSTALL_PREFIX}/${package_dir} ${CMAKE_INSTALL_PREFIX})
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/sensbench-config.cmake @ONLY CONTENT [[
# Contract headers and flags for a method or problem built as a shared module: link sensbench::module. The library
# (sens/sensbench.h): link sensbench::sensbench, or sensbench::static.
get_filename_component(SENSBENCH_PREFIX "${CMAKE_CURRENT_LIST_DIR}/@prefix_from_package@" ABSOLUTE)
add_library(sensbench::module INTERFACE IMPORTED)
set_target_properties(sensbench::module PROPERTIES
  INTERFACE_INCLUDE_DIRECTORIES "${SENSBENCH_PREFIX}/@CMAKE_INSTALL_INCLUDEDIR@"
  INTERFACE_COMPILE_FEATURES c_std_11)
add_library(sensbench::sensbench SHARED IMPORTED)
set_target_properties(sensbench::sensbench PROPERTIES
  IMPORTED_LOCATION "${SENSBENCH_PREFIX}/@CMAKE_INSTALL_LIBDIR@/libsensbench.so.@PROJECT_VERSION@"
  IMPORTED_SONAME "libsensbench.so.@PROJECT_VERSION_MAJOR@.@PROJECT_VERSION_MINOR@"
  INTERFACE_INCLUDE_DIRECTORIES "${SENSBENCH_PREFIX}/@CMAKE_INSTALL_INCLUDEDIR@")
add_library(sensbench::static STATIC IMPORTED)
set_target_properties(sensbench::static PROPERTIES
  IMPORTED_LOCATION "${SENSBENCH_PREFIX}/@CMAKE_INSTALL_LIBDIR@/libsensbench.a"
  INTERFACE_INCLUDE_DIRECTORIES "${SENSBENCH_PREFIX}/@CMAKE_INSTALL_INCLUDEDIR@"
  INTERFACE_LINK_LIBRARIES "@SENS_STATIC_NEEDS@")
set(SENSBENCH_EXECUTABLE "${SENSBENCH_PREFIX}/@CMAKE_INSTALL_BINDIR@/sensbench")
]])
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/sensbench-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/sensbench-config.cmake ${CMAKE_BINARY_DIR}/sensbench-config-version.cmake
        DESTINATION ${package_dir})

# The Makefile's targets under the same names.
foreach(name bench bench-full figures lint sanitize)
  add_custom_target(${name} COMMAND make -C ${CMAKE_SOURCE_DIR} ${name} USES_TERMINAL VERBATIM)
endforeach()
