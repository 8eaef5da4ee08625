# The numerical sources, compiled once per variant.
#
# They are divided into rooms, a folder each, whose CMakeLists.txt says first
#
#   sens_room(NAME [DEPENDS ROOM ...] [ONLY VARIANT ...])   its sources may include headers of these rooms, and of the
#                                          rooms that these depend on; ONLY: compiled in these variants and in no other
#
# and then what the room has:
#
#   sens_add_problem(NAME)                 problems/NAME.c
#   sens_add_cost(NAME)                    problems/costs/NAME.c
#   sens_add_method(NAME [DOUBLE_ONLY])    NAME.c
#   sens_variant_sources(FILE ...)         shared code of the variants
#
# Each variant becomes one relocatable object whose only global symbol is its registry, so that the copies cannot be
# mixed up and the sources need no name mangling.
set_property(GLOBAL PROPERTY SENS_ROOMS "")
set_property(GLOBAL PROPERTY SENS_ENTRIES "")
set_property(GLOBAL PROPERTY SENS_ENTRIES_DOUBLE "")

function(sens_room name)
  cmake_parse_arguments(arg "" "" "DEPENDS;ONLY" ${ARGN})
  set_property(GLOBAL APPEND PROPERTY SENS_ROOMS ${name})
  set_property(GLOBAL PROPERTY SENS_ROOM_ONLY_${name} "${arg_ONLY}")
  set(folders ${CMAKE_CURRENT_SOURCE_DIR})
  foreach(room IN LISTS arg_DEPENDS)
    get_property(below GLOBAL PROPERTY SENS_FOLDERS_${room})
    if(NOT below)
      message(FATAL_ERROR "room ${name} depends on ${room}, which is not below it")
    endif()
    list(APPEND folders ${below})
  endforeach()
  list(REMOVE_DUPLICATES folders)
  set_property(GLOBAL PROPERTY SENS_FOLDERS_${name} ${folders})
  set_property(DIRECTORY PROPERTY SENS_ROOM ${name})
endfunction()

function(sens_room_source source suffix)
  get_property(room DIRECTORY PROPERTY SENS_ROOM)
  set_property(GLOBAL APPEND PROPERTY SENS_SOURCES_${room}${suffix} ${CMAKE_CURRENT_SOURCE_DIR}/${source})
endfunction()

function(sens_add_module kind name)
  set(suffix "")
  if(ARGN STREQUAL "DOUBLE_ONLY")
    set(suffix "_DOUBLE")
  endif()
  sens_room_source(${name}.c "${suffix}")
  set_property(GLOBAL APPEND PROPERTY SENS_ENTRIES${suffix} "SENS_${kind}_ENTRY(${name})")
  set_property(GLOBAL APPEND PROPERTY SENS_NAMES_${kind} ${name})
endfunction()

function(sens_add_problem name)
  sens_add_module(PROBLEM ${name} ${ARGN})
endfunction()
function(sens_add_cost name)
  sens_add_module(COST ${name} ${ARGN})
endfunction()
function(sens_add_method name)
  sens_add_module(METHOD ${name} ${ARGN})
endfunction()
function(sens_variant_sources)
  foreach(source IN LISTS ARGN)
    sens_room_source(${source} "")
  endforeach()
endfunction()

# Where the sources of a room find headers, for the test that tries to look into rooms above it (tests/cli/walls.sh).
function(sens_tell_folders target folder)
  string(REPLACE "/" "-" name ${folder})
  file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/rooms/${name}
       CONTENT "$<JOIN:$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>,\n>\n")
endfunction()

# sens_add_variant(NAME FLAGS flag ... [EXTENDED] [RECORDED] [ROOMS room ...] [ENTRY symbol]
#                  [COPY folder DEPENDS target])
#
# EXTENDED: in extended precision. RECORDED: to be recorded (sens/recorded.h). ROOMS: of these alone. COPY: built from
# a copy of the tree in that folder, which the target makes, as a stand-in for the baseline that the program does not
# link. variant_NAME is what tests link: the objects, and the headers of all rooms.
function(sens_add_variant name)
  cmake_parse_arguments(arg "EXTENDED;RECORDED" "ENTRY;COPY;DEPENDS" "FLAGS;ROOMS" ${ARGN})
  set(tree ${CMAKE_SOURCE_DIR})
  set(isa ${name})
  if(arg_COPY)
    set(tree ${arg_COPY})
    set(isa baseline)
  endif()
  get_property(entries GLOBAL PROPERTY SENS_ENTRIES)
  get_property(rooms GLOBAL PROPERTY SENS_ROOMS)
  if(arg_RECORDED)
    list(FILTER entries EXCLUDE REGEX "^SENS_METHOD_")
    list(APPEND arg_FLAGS ${SENS_RECORDED_FLAGS})
  elseif(NOT arg_EXTENDED)
    get_property(entries_double GLOBAL PROPERTY SENS_ENTRIES_DOUBLE)
    list(APPEND entries ${entries_double})
  endif()
  if(arg_ROOMS)
    set(rooms ${arg_ROOMS})
  endif()
  list(JOIN entries "\n" lines)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/variant_${name}/registry.def CONTENT "${lines}\n")

  add_library(variant_${name} INTERFACE)
  target_link_libraries(variant_${name} INTERFACE sens_flags sens_kernels PkgConfig::gsl Threads::Threads m)
  target_compile_definitions(variant_${name} INTERFACE $<$<BOOL:${arg_EXTENDED}>:SENS_EXTENDED>)
  foreach(room IN LISTS rooms)
    get_property(only GLOBAL PROPERTY SENS_ROOM_ONLY_${room})
    get_property(sources GLOBAL PROPERTY SENS_SOURCES_${room})
    get_property(sources_double GLOBAL PROPERTY SENS_SOURCES_${room}_DOUBLE)
    get_property(folders GLOBAL PROPERTY SENS_FOLDERS_${room})
    if(NOT arg_EXTENDED AND NOT arg_RECORDED)
      list(APPEND sources ${sources_double})
    endif()
    if(arg_COPY)
      list(TRANSFORM sources REPLACE "^${CMAKE_SOURCE_DIR}/" "${tree}/")
      list(TRANSFORM folders REPLACE "^${CMAKE_SOURCE_DIR}/" "${tree}/")
    endif()
    if(sources AND (NOT only OR name IN_LIST only))
      set(target variant_${name}_${room})
      add_library(${target} OBJECT ${sources})
      target_link_libraries(${target} PRIVATE sens_flags sens_kernels PkgConfig::gsl Threads::Threads)
      target_include_directories(${target} PRIVATE ${folders} ${CMAKE_BINARY_DIR}/variant_${name})
      target_compile_options(${target} PRIVATE ${SENS_FLOAT_FLAGS} -fno-semantic-interposition ${arg_FLAGS})
      target_compile_definitions(${target} PRIVATE SENS_VARIANT=${isa} $<$<BOOL:${arg_EXTENDED}>:SENS_EXTENDED>)
      if(arg_DEPENDS)
        add_dependencies(${target} ${arg_DEPENDS})
        target_compile_options(${target} PRIVATE -Wno-unused -Wno-conversion -Wno-pedantic)
      endif()
      if(name STREQUAL baseline)
        get_property(folder GLOBAL PROPERTY SENS_FOLDERS_${room})
        list(GET folder 0 folder)
        file(RELATIVE_PATH folder ${CMAKE_SOURCE_DIR} ${folder})
        sens_tell_folders(${target} ${folder})
      endif()
      target_sources(variant_${name} INTERFACE $<TARGET_OBJECTS:${target}>)
      target_include_directories(variant_${name} INTERFACE ${folders})
      list(APPEND objects $<TARGET_OBJECTS:${target}>)
      list(APPEND targets ${target})
    endif()
  endforeach()
  if(NOT arg_ENTRY)
    set(arg_ENTRY sens_registry_${isa})
  endif()
  set(object ${CMAKE_BINARY_DIR}/variant_${name}/sealed.o)
  set(check "")
  if(arg_RECORDED)
    set(check COMMAND ${CMAKE_COMMAND} -DNM=${CMAKE_NM} -DOBJECT=${object}
              -P ${CMAKE_SOURCE_DIR}/cmake/RecordedCalls.cmake)
  endif()
  add_custom_command(
    OUTPUT ${object}
    COMMAND ${CMAKE_LINKER} -r -o ${object}.open ${objects}
    COMMAND ${CMAKE_OBJCOPY} --wildcard --keep-global-symbol=${arg_ENTRY} ${object}.open ${object}
    ${check}
    DEPENDS ${targets} ${objects}
    COMMAND_EXPAND_LISTS VERBATIM COMMENT "Sealing variant ${name}")
  add_custom_target(seal_${name} DEPENDS ${object})
  if(NOT arg_COPY AND NOT arg_RECORDED)
    set_property(GLOBAL APPEND PROPERTY SENS_SEALED ${object})
    set_property(GLOBAL APPEND PROPERTY SENS_SEALS seal_${name})
  endif()
endfunction()
