"""Tags the wheel for one processor and every Python 3, because it contains a native library."""

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel


class LibraryWheel(bdist_wheel):
    def get_tag(self) -> tuple[str, str, str]:
        return "py3", "none", super().get_tag()[2]


class LibraryDistribution(Distribution):
    def has_ext_modules(self) -> bool:
        return True


setup(distclass=LibraryDistribution, cmdclass={"bdist_wheel": LibraryWheel})
