# Modules around the libraries of others, one shared object a library in <build>/peers, loaded when a method of theirs
# is asked for. A program without one of them is complete: it says which package is missing.
#
#   sens_add_peer(NAME LIBRARY text FOUND bool SOURCES file ... [TARGETS target ...] [METHODS method ...]
#                [PROVIDERS provider ...])
#
# NAME is that of the rows peer-NAME in cmake/dependencies.txt; -DSENS_PEER_NAME=OFF leaves it out.
include(cmake/Cxx.cmake)
option(SENS_PEERS "the libraries of others as methods, where they are installed" ON)
set_property(GLOBAL PROPERTY SENS_PEER_ENTRIES "")

function(sens_add_peer name)
  cmake_parse_arguments(arg "" "LIBRARY;FOUND" "SOURCES;TARGETS;METHODS;PROVIDERS" ${ARGN})
  string(TOUPPER ${name} NAME)
  option(SENS_PEER_${NAME} "methods computed by ${arg_LIBRARY}, with SENS_PEERS" ON)
  set(state LACKING)
  if(NOT SENS_PEERS OR NOT SENS_PEER_${NAME})
    set(state OFF)
  elseif(arg_FOUND)
    set(state BUILT)
    add_library(peer_${name} MODULE ${arg_SOURCES})
    target_link_libraries(peer_${name} PRIVATE sens_flags ${arg_TARGETS} m)
    target_include_directories(peer_${name} PRIVATE ${CMAKE_SOURCE_DIR}/harness/kernels
                                                    ${CMAKE_SOURCE_DIR}/methods/rules
                                                    ${CMAKE_SOURCE_DIR}/methods/products
                                                    ${CMAKE_SOURCE_DIR}/methods/linear
                                                    ${CMAKE_SOURCE_DIR}/harness/derive/graph
                                                    ${CMAKE_SOURCE_DIR}/harness/derive/provider
                                                    ${CMAKE_SOURCE_DIR}/methods/peers/walk)
    target_compile_options(peer_${name} PRIVATE ${SENS_FLOAT_FLAGS})
    set_target_properties(peer_${name} PROPERTIES
                          PREFIX "" OUTPUT_NAME sens_${name} LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/peers
                          C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden)
    set_property(GLOBAL APPEND PROPERTY SENS_PEER_TARGETS peer_${name})
    install(TARGETS peer_${name} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/sensbench)
  else()
    message(STATUS "${arg_LIBRARY} not found (packages${SENS_PACKAGES_${name}}): what needs it is not available")
  endif()
  string(STRIP "${SENS_PACKAGES_${name}}" packages)
  set(entries "SENS_PEER(\"${name}\", \"${arg_LIBRARY}\", \"${packages}\", ${state})")
  foreach(method IN LISTS arg_METHODS)
    string(APPEND entries "\nSENS_PEER_METHOD(\"${method}\", \"${name}\")")
    if(state STREQUAL BUILT)
      set_property(GLOBAL APPEND PROPERTY SENS_NAMES_PEER_METHOD ${method})
    endif()
  endforeach()
  foreach(provider IN LISTS arg_PROVIDERS)
    string(APPEND entries "\nSENS_PEER_PROVIDER(\"${provider}\", \"${name}\")")
    if(state STREQUAL BUILT)
      set_property(GLOBAL APPEND PROPERTY SENS_NAMES_PEER_PROVIDER ${provider})
    endif()
  endforeach()
  set_property(GLOBAL APPEND_STRING PROPERTY SENS_PEER_ENTRIES "${entries}\n")
endfunction()
