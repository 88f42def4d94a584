# roofline_embed_data(TARGET ROOT): compiles the files of ROOT's data folders into TARGET as raw
# string literals, with an index of their names and aliases.

function(roofline_embed_data target root)
  file(GLOB files CONFIGURE_DEPENDS
    "${root}/devices/*.json" "${root}/models/*.json" "${root}/formats/*.json"
    "${root}/textbook/*.json" "${root}/engines/*.json" "${root}/explain/*.md")
  list(SORT files)
  set(output "${CMAKE_CURRENT_BINARY_DIR}/embedded_data.cpp")
  # The manifest changes when a file comes or goes, so that the source is written again.
  set(manifest "${CMAKE_CURRENT_BINARY_DIR}/embedded_data.manifest")
  list(JOIN files "\n" lines)
  file(CONFIGURE OUTPUT "${manifest}" CONTENT "${lines}\n" @ONLY)
  add_custom_command(
    OUTPUT "${output}"
    COMMAND "${CMAKE_COMMAND}" "-DMANIFEST=${manifest}" "-DOUTPUT=${output}"
            -P "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/WriteEmbeddedData.cmake"
    DEPENDS ${files} "${manifest}" "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/WriteEmbeddedData.cmake"
    COMMENT "Embedding data" VERBATIM)
  target_sources(${target} PRIVATE "${output}")
  # Only this generated file has literals longer than ISO C++ asks compilers to take.
  set_source_files_properties("${output}" PROPERTIES COMPILE_OPTIONS "-Wno-overlength-strings")
endfunction()
