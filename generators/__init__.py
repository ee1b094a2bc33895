"""What strings exist: languages that draw, count and label them. The words and the contract lie here.

alphabet, strings, window    what strings are made of        labeller    what a device that labels is asked
keys                         what fixes every random choice  laws        what strings are drawn from
thresholds                   exact weights to 64-bit words   language    what a language is asked
number_text                  numbers as text, exact
"""
