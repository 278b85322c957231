"""The group of commands, and the one place where an error becomes a message and an exit status."""

from __future__ import annotations

import os
import sys
from importlib import import_module

import click

from ireval import __version__

COMMANDS = {
    "eval": ("ireval.cli.eval", "Score runs against judgements, any number of them, in any format."),
    "sigtest": ("ireval.cli.sigtest", "Test whether differences between systems are real."),
    "discrim": ("ireval.cli.discrim", "Find out which measure tells systems apart."),
    "concordance": ("ireval.cli.concordance", "Find out which measure is intuitive, or predicts what people prefer."),
    "loo": ("ireval.cli.loo", "Find out whether a pooled collection is reusable: leave one team out."),
    "correlate": ("ireval.cli.correlate", "Compare rankings of runs by several measures, judgements or scores."),
    "agree": ("ireval.cli.agree", "Compare the judgements of several assessors."),
    "med": ("ireval.cli.med", "Tell how far apart the rankings of two or more runs are, without judgements."),
    "session": ("ireval.cli.session", "Score sessions of several ranked lists: sDCG, nsDCG, U-measure from clicks."),
    "answers": ("ireval.cli.answers", "Score answers by the nuggets in them: F, S-measure, T-measure, S#, POURPRE."),
    "rouge": ("ireval.cli.rouge", "Score texts against reference texts: ROUGE-N, ROUGE-S, ROUGE-SU."),
    "measures": ("ireval.cli.measures", "List the measures, or explain some of them."),
}
"""Name -> module and one line of help, so that `--help` imports no command."""

DOORS = {
    "trec_eval": "Stand in for trec_eval 10.0 (--compat 9: 9.0.8): same options, same output.",
    "ntcir_eval": "Stand in for NTCIREVAL 230128 (--release 190111): same options, same output.",
    "ndeval": "Stand in for ndeval 4.5 of the TREC Web Track: same options, same output.",
    "gdeval": "Stand in for gdeval.pl 1.3 of the TREC Web Track: same options, same output.",
}

EPILOG = """\b
Without a command, ireval is trec_eval:
  ireval -q -m map -m P.10 testdata/sample/qrels testdata/sample/bm25.run
With one:
  ireval eval testdata/sample/qrels testdata/sample/*.run -m AP -m nDCG@10

Exit status: 0 done, 1 a gate was not met, 2 usage or bad input, 4 nothing to evaluate.
"""


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All names, ours first."""
        return [*COMMANDS, *DOORS]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """The command, its module imported now."""
        if name in DOORS:
            return click.Command(name, help=DOORS[name], add_help_option=False)
        if name not in COMMANDS:
            return None
        command: click.Command = import_module(COMMANDS[name][0]).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands from the table, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()] + list(DOORS.items()))


@click.group(
    cls=LazyGroup,
    epilog=EPILOG,
    invoke_without_command=True,
    context_settings={"help_option_names": ["--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="ireval", message="%(prog)s %(version)s")
@click.pass_context
def group(ctx: click.Context) -> None:
    """Evaluate search engines: a drop-in trec_eval that goes on where it stops."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def run(argv: list[str]) -> int:
    """Run a command; the exit status."""
    from ireval.errors import IrevalError, os_reason

    if "_IREVAL_COMPLETE" in os.environ:  # the shell asks for completions
        group.main(argv, prog_name="ireval")
    try:
        with group.make_context("ireval", argv) as context:  # not group.main: it ends with 1 when a pipe is closed
            status = group.invoke(context)
        sys.stdout.flush()
        return status if isinstance(status, int) else 0
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.ClickException as error:
        _say(error.format_message())
        if isinstance(error, click.UsageError) and error.ctx is not None:
            print(f"`{error.ctx.command_path} --help` shows how to call it.", file=sys.stderr)
        return 2
    except IrevalError as error:
        _say(str(error))
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        return 130
    except (ArithmeticError, AssertionError, LookupError, TypeError, ValueError) as error:
        if os.environ.get("IREVAL_DEBUG"):
            raise
        _say(f"internal error, please report it: {type(error).__name__}: {error} (IREVAL_DEBUG=1 shows where)")
        return 70  # never 1, which says that a gate was not met
    except OSError as error:
        from ireval.write.output import discard_output

        discard_output()
        if isinstance(error, BrokenPipeError):
            return 0
        _say(f"cannot write: {os_reason(error)}")  # the disk is full, say
        return 2


def _say(message: str) -> None:
    """Each line of a message with our name before it; excerpts of a file stay as they are."""
    from ireval.errors import printable

    for text in message.splitlines():
        print(text if text.startswith("    ") else f"ireval: {printable(text, 2000)}", file=sys.stderr)
