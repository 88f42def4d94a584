# roofline_embed_page(TARGET FOLDER): compiles FOLDER's page.css and scripts into TARGET as raw
# string literals. Run as a script (-DFOLDER= -DOUTPUT=) it writes that source.

if(CMAKE_SCRIPT_MODE_FILE)
  file(READ "${FOLDER}/page.css" style)
  file(READ "${FOLDER}/page_ticks.js" ticks)
  file(READ "${FOLDER}/page.js" script)
  file(WRITE "${OUTPUT}" "// Written by EmbedPage.cmake from page.css, page_ticks.js and page.js.
#include \"report/page_text.hpp\"

namespace roofline::report {
namespace {

constexpr std::string_view style = R\"__css__(${style})__css__\";
constexpr std::string_view script = R\"__js__(${ticks}${script})__js__\";

}  // namespace

std::string_view page_style() { return style; }
std::string_view page_script() { return script; }

}  // namespace roofline::report
")
  return()
endif()

function(roofline_embed_page target folder)
  set(output "${CMAKE_CURRENT_BINARY_DIR}/embedded_page.cpp")
  set(script "${CMAKE_CURRENT_FUNCTION_LIST_FILE}")
  add_custom_command(
    OUTPUT "${output}"
    COMMAND "${CMAKE_COMMAND}" "-DFOLDER=${folder}" "-DOUTPUT=${output}" -P "${script}"
    DEPENDS "${folder}/page.css" "${folder}/page_ticks.js" "${folder}/page.js" "${script}"
    COMMENT "Embedding the page" VERBATIM)
  target_sources(${target} PRIVATE "${output}")
endfunction()
