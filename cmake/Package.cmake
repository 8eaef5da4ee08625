# A Debian package of what cmake --install puts in place (harness/scripts/release.sh, tests/cli/package.sh). Its
# dependencies are what the program and the modules of peers are linked with; what is loaded at run time, or called as a
# program, is recommended. dpkg-shlibdeps finds the former, where it is there (package dpkg-dev).
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME sensbench)
set(CPACK_PACKAGE_CONTACT "The authors of sensbench <nobody@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "test bench for sensitivities of differential equations")
set(CPACK_PACKAGE_DESCRIPTION "Runs methods for derivatives of solutions of ordinary differential equations side by
side on shared problems, compares every gradient with an independent truth, measures time and work, and checks whether
an implementation is right.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "gcc, gnuplot-nox, node-d3, liblapack3, libopenblas0-serial, libklu1, libumfpack5")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "python3-scipy, r-cran-desolve, octave")
find_program(SENS_SHLIBDEPS dpkg-shlibdeps)
mark_as_advanced(SENS_SHLIBDEPS)
if(SENS_SHLIBDEPS)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
endif()
include(CPack)
