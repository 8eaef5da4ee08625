# The numerical sources, compiled once per variant.
#
#   sens_add_problem(NAME)                 problems/NAME.c
#   sens_add_cost(NAME)                    problems/cost_NAME.c
#   sens_add_method(NAME [DOUBLE_ONLY])    methods/NAME.c
#   sens_variant_sources(FILE ...)         shared code of the variants
#
# Each variant becomes one relocatable object whose only global symbol is its registry, so that the copies cannot be
# mixed up and the sources need no name mangling.
set_property(GLOBAL PROPERTY SENS_SOURCES "")
set_property(GLOBAL PROPERTY SENS_ENTRIES "")
set_property(GLOBAL PROPERTY SENS_SOURCES_DOUBLE "")
set_property(GLOBAL PROPERTY SENS_ENTRIES_DOUBLE "")

function(sens_add_module kind source name)
  set(suffix "")
  if(ARGN STREQUAL "DOUBLE_ONLY")
    set(suffix "_DOUBLE")
  endif()
  set_property(GLOBAL APPEND PROPERTY SENS_SOURCES${suffix} ${CMAKE_CURRENT_SOURCE_DIR}/${source})
  set_property(GLOBAL APPEND PROPERTY SENS_ENTRIES${suffix} "SENS_${kind}_ENTRY(${name})")
  set_property(GLOBAL APPEND PROPERTY SENS_NAMES_${kind} ${name})
endfunction()

function(sens_add_problem name)
  sens_add_module(PROBLEM ${name}.c ${name} ${ARGN})
endfunction()
function(sens_add_cost name)
  sens_add_module(COST cost_${name}.c ${name} ${ARGN})
endfunction()
function(sens_add_method name)
  sens_add_module(METHOD ${name}.c ${name} ${ARGN})
endfunction()
function(sens_variant_sources)
  foreach(source IN LISTS ARGN)
    set_property(GLOBAL APPEND PROPERTY SENS_SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/${source})
  endforeach()
endfunction()

# sens_add_variant(NAME FLAGS flag ... [EXTRA_SOURCES file ...] [EXTENDED] [ENTRY symbol] [COPY folder])
#
# COPY: built from a copy of the tree in that folder, as a stand-in for the baseline that the program does not link.
function(sens_add_variant name)
  cmake_parse_arguments(arg "EXTENDED" "ENTRY;COPY" "FLAGS;EXTRA_SOURCES" ${ARGN})
  set(tree ${CMAKE_SOURCE_DIR})
  set(isa ${name})
  get_property(sources GLOBAL PROPERTY SENS_SOURCES)
  get_property(entries GLOBAL PROPERTY SENS_ENTRIES)
  if(NOT arg_EXTENDED)
    get_property(sources_double GLOBAL PROPERTY SENS_SOURCES_DOUBLE)
    get_property(entries_double GLOBAL PROPERTY SENS_ENTRIES_DOUBLE)
    list(APPEND sources ${sources_double})
    list(APPEND entries ${entries_double})
  endif()
  list(JOIN entries "\n" lines)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/variant_${name}/registry.def CONTENT "${lines}\n")

  if(arg_COPY)
    set(tree ${arg_COPY})
    set(isa baseline)
    list(TRANSFORM sources REPLACE "^${CMAKE_SOURCE_DIR}/" "${tree}/")
  endif()

  add_library(variant_${name} OBJECT ${sources} ${arg_EXTRA_SOURCES})
  target_link_libraries(variant_${name} PUBLIC sens_flags PkgConfig::gsl Threads::Threads m)
  target_include_directories(variant_${name} PUBLIC ${tree}/methods ${tree}/problems
                                                    ${CMAKE_BINARY_DIR}/variant_${name})
  target_compile_options(variant_${name} PRIVATE ${SENS_FLOAT_FLAGS} ${arg_FLAGS})
  target_compile_definitions(variant_${name} PUBLIC SENS_VARIANT=${isa} $<$<BOOL:${arg_EXTENDED}>:SENS_EXTENDED>)
  if(NOT arg_ENTRY)
    set(arg_ENTRY sens_registry_${isa})
  endif()
  set(object ${CMAKE_BINARY_DIR}/variant_${name}/sealed.o)
  add_custom_command(
    OUTPUT ${object}
    COMMAND ${CMAKE_LINKER} -r -o ${object}.open $<TARGET_OBJECTS:variant_${name}>
    COMMAND ${CMAKE_OBJCOPY} --keep-global-symbol=${arg_ENTRY} ${object}.open ${object}
    DEPENDS variant_${name} $<TARGET_OBJECTS:variant_${name}>
    COMMAND_EXPAND_LISTS VERBATIM COMMENT "Sealing variant ${name}")
  add_custom_target(seal_${name} DEPENDS ${object})
  if(NOT arg_COPY)
    set_property(GLOBAL APPEND PROPERTY SENS_SEALED ${object})
    set_property(GLOBAL APPEND PROPERTY SENS_SEALS seal_${name})
  endif()
endfunction()
