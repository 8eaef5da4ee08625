# libsensbench (harness/include/sens/sensbench.h), shared and static: the rooms that solve one cell, in one relocatable
# object whose only global symbols are the library's own and those that modules call (sens/plugin.h). So neither a name
# of ours collides with one of the user's program, nor the other way round.
set(rooms library measure truth cell record machine modules base core derive_model derive_provider derive_engine
          derive_record derive_tape derive_compile derive_generate derive_roll derive_products derive_graph)
list(TRANSFORM rooms PREPEND room_ OUTPUT_VARIABLE room_targets)
list(TRANSFORM room_targets REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE archives)
set(whole $<TARGET_FILE:room_library> $<TARGET_FILE:room_core> $<TARGET_FILE:sens_core>)
set(object ${CMAKE_BINARY_DIR}/libsensbench.o)
add_custom_command(
  OUTPUT ${object}
  COMMAND ${CMAKE_LINKER} -r -o ${object}.open -u sens_recorded_entry -u taped_wrap
          --whole-archive ${whole} --no-whole-archive --start-group ${archives} --end-group
  COMMAND ${CMAKE_OBJCOPY} --wildcard --keep-global-symbol=sensbench_* --keep-global-symbol=sens_*
          --keep-global-symbol=taped_wrap ${object}.open ${object}
  DEPENDS ${room_targets} sens_core
  COMMAND_EXPAND_LISTS VERBATIM COMMENT "Sealing libsensbench")
add_custom_target(seal_library DEPENDS ${object})
set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
set(library_needs ${SENS_LIBRARIES} Threads::Threads ${CMAKE_DL_LIBS} m)
set(private_modules gsl hwloc jansson zlib nettle)
if(libdw_FOUND)
  list(APPEND library_needs PkgConfig::libdw)
  list(APPEND private_modules libdw)
endif()
foreach(kind SHARED STATIC)
  string(TOLOWER sensbench_${kind} target)
  add_library(${target} ${kind} ${object})
  add_dependencies(${target} seal_library)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME sensbench LINKER_LANGUAGE C VERSION ${PROJECT_VERSION}
                        SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
                        LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR} ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
  target_link_libraries(${target} PRIVATE ${library_needs})
  install(TARGETS ${target} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
endforeach()
if(NOT SENS_SANITIZE AND NOT SENS_FUZZ) # whose runtime the program brings
  target_link_options(sensbench_shared PRIVATE -Wl,--no-undefined)
endif()

file(RELATIVE_PATH prefix_from_pkgconfig ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
set(SENS_STATIC_NEEDS "")
foreach(module IN LISTS private_modules)
  list(APPEND SENS_STATIC_NEEDS ${${module}_LIBRARIES})
endforeach()
list(APPEND SENS_STATIC_NEEDS pthread dl m)
list(JOIN private_modules " " private_modules)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/sensbench.pc @ONLY CONTENT [[
prefix=${pcfiledir}/@prefix_from_pkgconfig@
libdir=${prefix}/@CMAKE_INSTALL_LIBDIR@
includedir=${prefix}/@CMAKE_INSTALL_INCLUDEDIR@

Name: sensbench
Description: sensitivities of differential equations
Version: @PROJECT_VERSION@
Cflags: -I${includedir}
Libs: -L${libdir} -lsensbench
Libs.private: -lpthread -ldl -lm
Requires.private: @private_modules@
]])
install(FILES ${CMAKE_BINARY_DIR}/sensbench.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# The Python module finds the library by its own place.
set(python_dir ${CMAKE_INSTALL_DATADIR}/sensbench/python)
file(RELATIVE_PATH library_from_python ${CMAKE_INSTALL_PREFIX}/${python_dir}
     ${CMAKE_INSTALL_FULL_LIBDIR}/libsensbench.so.${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
configure_file(harness/library/sensbench.py.in ${CMAKE_BINARY_DIR}/sensbench.py @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/sensbench.py DESTINATION ${python_dir})
