"""The command line. Importing it imports click and our errors, no more; a command is imported when it is called."""

import errno
import traceback
from importlib import import_module
from typing import NoReturn

import click

from marnn_bench import __version__
from marnn_bench.errors import LimitError, UsageError
from marnn_bench.generators.errors import MarnnError
from marnn_bench.visible import visible

COMMANDS = {
    "tasks": ("marnn_bench.commands.tasks:tasks", "List the tasks, or show one."),
    "generate": ("marnn_bench.commands.generate:generate", "Write the splits of tasks as Parquet."),
    "verify": ("marnn_bench.commands.verify:verify", "Decide every row of generated splits again."),
    "check": ("marnn_bench.commands.check:check", "See in seconds whether a model file can be evaluated."),
    "eval": ("marnn_bench.commands.evaluate:evaluate", "Evaluate a model on a task."),
    "train": ("marnn_bench.baselines.commands.train:train", "Train a baseline by its paper's recipe."),
    "baselines": ("marnn_bench.baselines.commands.baselines:baselines", "List the baselines."),
    "trace": (
        "marnn_bench.baselines.commands.trace:trace",
        "Show what a trained model does with its memory.",
    ),
    "prune": (
        "marnn_bench.baselines.commands.prune:prune",
        "Remove the stacks that a trained model does not use.",
    ),
    "text": (
        "marnn_bench.baselines.commands.text:text",
        "Train a baseline on a text, and measure the perplexity of another.",
    ),
    "extract": (
        "marnn_bench.baselines.commands.extract:extract",
        "Show the automaton that a trained NSPDA or NNPDA has become.",
    ),
    "leaderboard": (
        "marnn_bench.leaderboard.commands.leaderboard:leaderboard",
        "Compare results with published ones.",
    ),
    "reproduce": ("marnn_bench.leaderboard.reproduce.command:reproduce", "Make a paper's table anew."),
    "compare": ("marnn_bench.leaderboard.commands.compare:compare", "Test whether two results differ."),
    "plot": ("marnn_bench.leaderboard.commands.plot:plot", "Draw results."),
    "report": (
        "marnn_bench.leaderboard.commands.report:report",
        "Write results as one page of HTML that needs nothing else.",
    ),
    "rescore": ("marnn_bench.commands.rescore:rescore", "Compute every figure of results again."),
    "export": (
        "marnn_bench.leaderboard.commands.export:export",
        "Write results in a format of others.",
    ),
    "export-tasks": (
        "marnn_bench.leaderboard.commands.export_tasks:export_tasks",
        "Write generated splits as tasks of the LM Evaluation Harness.",
    ),
    "submit": (
        "marnn_bench.leaderboard.commands.submissions:submit",
        "Write the folder of a submission to the leaderboard.",
    ),
    "schema": ("marnn_bench.commands.schema:schema", "Print the JSON Schema of what eval writes."),
    "publish": ("marnn_bench.commands.publish:publish", "Upload generated splits to the Hugging Face Hub."),
    "publish-model": (
        "marnn_bench.leaderboard.commands.publish_model:publish_model",
        "Upload a trained model to the Hugging Face Hub.",
    ),
}
"""Command name -> where it is, and one line of help (which its own help begins with)."""


MEANT = {
    "evaluate": "eval",
    "run": "eval",
    "score": "eval",
    "gen": "generate",
    "list": "tasks",
    "ls": "tasks",
    "show": "tasks show",
    "models": "baselines",
    "upload": "publish",
    "push": "publish",
}
"""What people type -> the command that it is here."""

NOT_YET = dict.fromkeys(("--gpu", "--cuda", "--device"), "All but `train --device cuda` runs on the CPU.")
"""Options that people look for -> what to say."""

LINES = "\n"
"""What of the control characters a message may have."""

INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells have it."""


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called, and which ends with the exit codes of our errors."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] in MEANT:
            raise click.UsageError(
                f"No such command {args[0]!r}. Did you mean `marnn-bench {MEANT[args[0]]}`?", ctx
            )
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name][0].partition(":")
        command = getattr(import_module(module), name)
        if not isinstance(command, click.Command):
            raise TypeError(f"{module}:{name} is no click command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except click.NoSuchOption as error:
            if error.option_name not in NOT_YET:
                raise
            message = f"There is no option {error.option_name}. {NOT_YET[error.option_name]}"
            raise click.UsageError(message, error.ctx) from None
        except ModuleNotFoundError as error:
            if (error.name or "").startswith("marnn_bench"):
                raise
            error_text = f"This command needs the package {error.name}: pip install 'marnn-bench[all]'."
            self._fail(ctx, UsageError(error_text), error)
        except MarnnError as error:
            self._fail(ctx, error, error)
        except KeyboardInterrupt:
            click.echo("Interrupted.", err=True)
            ctx.exit(INTERRUPTED)
        except MemoryError as error:
            self._fail(ctx, LimitError("Memory ran out. Ask for less, or run it on a larger machine."), error)
        except OSError as error:
            self._fail(ctx, _of_system(error), error)

    @staticmethod
    def _fail(ctx: click.Context, shown: MarnnError, cause: BaseException) -> NoReturn:
        if ctx.params.get("debug"):
            traceback.print_exception(cause)
            click.echo(getattr(cause, "details", ""), err=True, nl=False)
        click.echo(f"Error: {visible(str(shown), kept=LINES)}", err=True)
        ctx.exit(shown.exit_code)


def _of_system(error: OSError) -> MarnnError:
    where = f" {error.filename}" if error.filename else ""
    reason = error.strerror or str(error)
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return LimitError(
            f"The disk is full{where and ' at'}{where}. Free some space and run the command again."
        )
    return UsageError(f"{reason}:{where or ' (no file named)'}. Choose another folder or file.")


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="marnn-bench")
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
def main(debug: bool) -> None:
    """Formal-language benchmark for sequence models.

    \b
    marnn-bench generate --task dyck3         write a task's splits to ./data
    marnn-bench check my_model.py             does my model answer?
    marnn-bench eval my_model.py              evaluate it on what is in ./data
    marnn-bench leaderboard show RESULT       beside the published models
    """
