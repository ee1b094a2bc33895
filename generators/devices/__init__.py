"""Formal machines and grammars: what draws strings and what labels them, each with a notation as text.

pushdown            deterministic pushdown automata          automaton_text       the text of all automata
                                                             text_lines           the lines of all texts
finite_automaton    deterministic finite automata            walks                their walks, counted and drawn
counter_machine     real-time counter machines               counter_rules        their rules
                                                             counter_liveness     whether they lead on to acceptance
grammar             probabilistic context-free grammars      grammar_text         their text
synchronous_grammar grammars of pairs                        binarised_grammar    their empty and unit derivations
                                                             inside               their inside weights
"""
