"""Which strings make up a split, beyond drawing them from a law.

distinct      first occurrences among the draws      negatives     strings made from members that are none
recognition   members and negatives together         edits         Levenshtein distances
"""
