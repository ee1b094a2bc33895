"""Results in the formats of others, whose readers know nothing of ours.

every_eval_ever  JSON of Every Eval Ever, a record for each result
hub_results      YAML of the Hugging Face Hub, by which a model's page shows its figures
"""
