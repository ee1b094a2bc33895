"""Submissions: folders from people who need not be trusted, written and checked. Nothing in one is ever executed.

limits       what a submission may be              strict_json  JSON that says one thing, in bounds
schemas      whether JSON is of a JSON Schema      folders      its files, each named and none a link
description  submission.json                       checking     every figure computed again
writing      the folder, made from results         hidden       strings that only a secret key can draw
boards       a whole leaderboard: our results, submissions, hidden splits
"""
