"""Training on a stream (Joulin & Mikolov 2015, section 5): an update after every symbol.

rule        how runs learn, whatever executes it    strings     what is fed and asked in an epoch
reference   the rule by torch, to be read           epochs      what follows on an epoch: validation, halving, the best
compiled    the rule by a compiled cell             training    a recipe carried out
choice      which of the two it is
"""
