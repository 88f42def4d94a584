# Run as a script: writes OUTPUT, a C++ source with the text of every file that MANIFEST lists.
cmake_policy(VERSION 3.25)
file(STRINGS "${MANIFEST}" files)

set(entries "")
set(names "")
set(index 0)
foreach(file IN LISTS files)
  get_filename_component(folder "${file}" DIRECTORY)
  get_filename_component(kind "${folder}" NAME)
  get_filename_component(stem "${file}" NAME_WE)
  file(READ "${file}" text)
  string(JSON name ERROR_VARIABLE error GET "${text}" name)
  if(error)
    get_filename_component(name "${file}" NAME_WLE)
  endif()
  set(own_names "${name}")
  string(JSON alias_count ERROR_VARIABLE error LENGTH "${text}" aliases)
  if(NOT error AND alias_count GREATER 0)
    math(EXPR last "${alias_count} - 1")
    foreach(i RANGE ${last})
      string(JSON alias GET "${text}" aliases ${i})
      list(APPEND own_names "${alias}")
    endforeach()
  endif()
  foreach(own_name IN LISTS own_names)
    string(TOLOWER "${own_name}" own_name)
    string(REGEX REPLACE "[ _]" "-" own_name "${own_name}")
    list(APPEND names "    {\"${kind}\"sv, \"${own_name}\"sv, ${index}},")
  endforeach()
  string(APPEND entries "    {\"${kind}\"sv, \"${name}\"sv, R\"__json__(${text})__json__\"sv},\n")
  math(EXPR index "${index} + 1")
endforeach()

list(SORT names)
list(REMOVE_DUPLICATES names)
list(JOIN names "\n" names)
file(WRITE "${OUTPUT}" "// Written by WriteEmbeddedData.cmake from the files in data/.
#include \"spec/embedded.hpp\"

namespace roofline {
namespace {

using namespace std::string_view_literals;

constexpr EmbeddedFile files[] = {
${entries}};

constexpr EmbeddedName names[] = {
${names}
};

}  // namespace

std::span<const EmbeddedFile> embedded_files() { return files; }
std::span<const EmbeddedName> embedded_names() { return names; }

}  // namespace roofline
")
