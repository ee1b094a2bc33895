"""What a group of commands answers to a word that is none of them."""

import click


class HintedGroup(click.Group):
    """A group whose command `show` is suggested for an unknown word, which was most likely meant for it."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The subcommand; UsageError with the whole command line that was meant."""
        if args[0] not in self.commands:
            words = " ".join([ctx.command_path, "show", *args])
            raise click.UsageError(f"{args[0]!r} is no command. Did you mean `{words}`?", ctx)
        return super().resolve_command(ctx, args)
