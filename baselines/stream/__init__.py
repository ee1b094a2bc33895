"""Training on a stream (Joulin & Mikolov 2015, section 5): an update after every symbol.

rule        how runs learn, whatever executes it    strings     what is fed and asked in an epoch
reference   the rule by torch, to be read           training    a recipe carried out: epochs, with their validation
compiled    the rule by a compiled cell             choice      which of the two rules it is
"""
