# sensbench_mutants: the program with every fault of tests/mutants/mutants.txt built into a copy of the numerical
# sources, each switched on by its number. It is linked before the sound baseline, which then is not pulled in.
set(mutants_dir ${CMAKE_SOURCE_DIR}/tests/mutants)
set(mutants_tree ${CMAKE_BINARY_DIR}/mutants)

file(GLOB_RECURSE mutants_files CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}
     ${CMAKE_SOURCE_DIR}/methods/*.[ch] ${CMAKE_SOURCE_DIR}/problems/*.[ch] ${CMAKE_SOURCE_DIR}/harness/core/*.[ch]
     ${CMAKE_SOURCE_DIR}/harness/kernels/*.[ch] ${CMAKE_SOURCE_DIR}/harness/derive/graph/*.h)
foreach(file IN LISTS mutants_files)
  get_filename_component(folder ${mutants_tree}/${file} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(
    OUTPUT ${mutants_tree}/${file}
    COMMAND awk -v source=${file} -f ${mutants_dir}/mutate.awk ${mutants_dir}/mutants.txt ${CMAKE_SOURCE_DIR}/${file}
            > ${mutants_tree}/${file}
    DEPENDS ${CMAKE_SOURCE_DIR}/${file} ${mutants_dir}/mutate.awk ${mutants_dir}/mutants.txt
    VERBATIM COMMENT "Mutants of ${file}")
  list(APPEND mutants_copies ${mutants_tree}/${file})
endforeach()
# A copy of a file that has moved away since would be found in its place.
file(GLOB_RECURSE mutants_stale ${mutants_tree}/*.[ch])
list(REMOVE_ITEM mutants_stale ${mutants_copies})
if(mutants_stale)
  file(REMOVE ${mutants_stale})
endif()
add_custom_target(mutants_sources DEPENDS ${mutants_copies})

sens_add_variant(mutants COPY ${mutants_tree} DEPENDS mutants_sources)

set(mutants_object ${CMAKE_BINARY_DIR}/variant_mutants/sealed.o)
set_source_files_properties(${mutants_object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
add_executable(sensbench_mutants ${CMAKE_SOURCE_DIR}/harness/cli/main.c ${mutants_dir}/switch.c ${mutants_object})
add_dependencies(sensbench_mutants seal_mutants)
target_link_libraries(sensbench_mutants PRIVATE sens_bench)
target_include_directories(sensbench_mutants PRIVATE ${CMAKE_BINARY_DIR}/harness)
set_target_properties(sensbench_mutants PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})

add_executable(mutants_row ${mutants_dir}/row.c)
target_link_libraries(mutants_row PRIVATE sens_flags ${SENS_LIBRARIES})
set_target_properties(mutants_row PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})

# Each is killed, and its cause named; a few random runs of the sound program raise no alarm. `make mutants` makes 200.
add_test(NAME mutants/table COMMAND bash ${mutants_dir}/run.sh $<TARGET_FILE:sensbench_mutants>
                                    $<TARGET_FILE:mutants_row> --one-in 12)
add_test(NAME mutants/false_alarms COMMAND bash ${mutants_dir}/false_alarms.sh $<TARGET_FILE:sensbench> 3)
set_tests_properties(mutants/table mutants/false_alarms PROPERTIES LABELS mutants TIMEOUT 2700)
