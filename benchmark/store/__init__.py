"""Splits on disk: written, read, verified, cached.

OUT/README.md                                    dataset card, as the Hugging Face Hub wants it
OUT/manifest.json                                per task and split: parameters, digest, files
OUT/.receipts/<task>/*.json                      one per finished file; manifest and card are rebuilt from them
OUT/data/<task>/<split>-00000-of-00001.parquet
"""
