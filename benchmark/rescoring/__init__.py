"""What results are believed by: every figure computed again, from the samples and the data made anew.

rescore     a result, computed again and compared        data      the strings that it speaks of
stored      the answers in samples.parquet               differences  where two records differ
receipts    what was found, kept in the user's cache         memory    a bound on it while samples are read
"""
