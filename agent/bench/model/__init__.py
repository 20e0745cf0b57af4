"""What a model costs beside the service: time of ours, and tokens, those of memory itself among them."""

from agent.bench.model.figures import CallTokens, ModelFigures, Talk
from agent.bench.model.measure import Effort, measure_model
from agent.bench.model.page import TALK_HEAD, model_page, model_rows, talk_rows
from agent.bench.model.plot import model_plot

__all__ = [
    "TALK_HEAD",
    "CallTokens",
    "Effort",
    "ModelFigures",
    "Talk",
    "measure_model",
    "model_page",
    "model_plot",
    "model_rows",
    "talk_rows",
]
