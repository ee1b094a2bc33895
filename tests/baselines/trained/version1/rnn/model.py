"""rnn, trained on string-reversal by marnn-bench 0.1.0: runs 0 to 1.

marnn-bench eval THIS_FOLDER --task string-reversal --out RESULT
"""

from pathlib import Path

from marnn_bench.baselines import TrainedModel

model = TrainedModel(Path(__file__).parent)
load, reset, step = model.load, model.reset, model.step
