"""Compound commands: blocks, conditions, loops and `[[ … ]]`."""

from __future__ import annotations

import asyncio
from abc import abstractmethod

from navitas.virtual_phone.shell.conditions import holds
from navitas.virtual_phone.shell.descriptors import Streams
from navitas.virtual_phone.shell.expansion import Expander
from navitas.virtual_phone.shell.glob_patterns import matches
from navitas.virtual_phone.shell.state import LoopControl, ShellState
from navitas.virtual_phone.shell.syntax import Case, Command, CommandGroup, Compound, For, If, Loop, Script


class CompoundRunner(ShellState):
    """The control flow of one shell. `Interpreter` adds the execution of commands."""

    loops = 0
    """The number of loops around the running command."""

    @abstractmethod
    async def run_script(self, script: Script, streams: Streams) -> int: ...

    @abstractmethod
    async def in_subshell(self, command: Command, streams: Streams) -> int: ...

    @abstractmethod
    def expander(self, streams: Streams) -> Expander: ...

    async def run_compound(self, command: Compound, streams: Streams) -> int:
        """Run a compound command after its redirections."""
        if isinstance(command, CommandGroup):
            if command.subshell:
                return await self.in_subshell(CommandGroup(command.body, subshell=False), streams)
            return await self.run_script(command.body, streams)
        if isinstance(command, For | Loop):
            self.loops += 1
            try:
                return await (self._run_for(command, streams) if isinstance(command, For) else self._run_loop(command, streams))
            finally:
                self.loops -= 1
        if isinstance(command, If | Case):
            return await (self._run_if(command, streams) if isinstance(command, If) else self._run_case(command, streams))
        return 0 if await holds(self, command.tokens, self.expander(streams)) else 1

    async def _run_if(self, command: If, streams: Streams) -> int:
        for condition, body in command.branches:
            if await self._test(condition, streams):
                return await self.run_script(body, streams)
        return await self.run_script(command.otherwise, streams) if command.otherwise else 0

    async def _run_case(self, command: Case, streams: Streams) -> int:
        subject = await self.expander(streams).text(command.word)
        for patterns, body in command.branches:
            for pattern in patterns:
                if matches(await self.expander(streams).runs(pattern), subject):
                    self.status = 0
                    return await self.run_script(body, streams)
        return 0

    async def _run_for(self, command: For, streams: Streams) -> int:
        words = self.arguments if command.words is None else await self.expander(streams).fields(command.words)
        status = 0
        for word in list(words):
            self.variables[command.name] = word
            try:
                status = await self.run_script(command.body, streams)
            except LoopControl as control:
                status = 0
                if not control.stays():
                    break
        return status

    async def _run_loop(self, command: Loop, streams: Streams) -> int:
        status = 0
        while True:
            await asyncio.sleep(0)
            try:
                if await self._test(command.condition, streams) == command.until:
                    return status
                status = await self.run_script(command.body, streams)
            except LoopControl as control:
                status = 0
                if not control.stays():
                    return status

    async def _test(self, condition: Script, streams: Streams) -> bool:
        with self.in_test():
            return await self.run_script(condition, streams) == 0
