# roofline_options: the language and the sanitizers, for every target.
add_library(roofline_options INTERFACE)
target_compile_features(roofline_options INTERFACE cxx_std_20)
if(ROOFLINE_SANITIZE)
  list(JOIN ROOFLINE_SANITIZE "," sanitizers)
  set(flags -fsanitize=${sanitizers} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_compile_options(roofline_options INTERFACE ${flags})
  target_link_options(roofline_options INTERFACE ${flags})
endif()
