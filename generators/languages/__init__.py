"""The languages and transductions, by family.

dyck, enclosed, shuffles        brackets                          regular, tomita     finite automata
palindromes, even_palindromes   with a marker and without         blocks              a^n b^n and its like
counter_languages               blocks that counting labels       arithmetic          binary addition
copying                         copies, reversals, bigrams        translation         svo_sov, gender
"""
