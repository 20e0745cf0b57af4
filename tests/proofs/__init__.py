"""Proofs: whole games with faults, long runs and random histories, too slow for the gate.

`.venv/bin/pytest -m proof` runs all of them, `.venv/bin/pytest -m proof tests/proofs/test_crash.py` one. Environment variables set the
size: PROOF_SIZE (games, histories, images; each proof has a small default), PROOF_SEED, PROOF_WORKERS. Finished jobs are
cached in .cache/proofs and not repeated while the files that were opened for them are unchanged. PROOF_PUBLISH=1 writes the
figures to docs/results, and skips what is published there and not stale.
"""
