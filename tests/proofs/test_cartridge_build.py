"""The sources of the demo build the committed image, and its variables lie in cartridge RAM alone."""

import pytest

from tests.proofs.cartridge_build import build_job, require_compiler
from tests.proofs.conftest import Sized


@pytest.mark.proof
def test_the_sources_build_the_committed_image(proof: Sized) -> None:
    require_compiler()
    build = proof("cartridge_build", 1)
    build.judge(build.rows(build_job), {})
