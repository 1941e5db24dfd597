// Nothing but the headers that tests share (CMakeLists.txt): a library wants a source.
