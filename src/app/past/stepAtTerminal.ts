import { parsedCommand } from '../commandLine/command.ts';
import { parseStepArguments, runStep } from './stepCommand.ts';
import { terminalKeys } from './terminalKeys.ts';

/** `svc step`: by keys at a terminal, else as a list. */
export const stepAtTerminal = parsedCommand(parseStepArguments, async (command, config, io) => {
  const keys = process.stdin.isTTY && process.stdout.isTTY ? terminalKeys(process.stdin) : undefined;
  // The program that reads the list may end before it has all of it.
  process.stdout.on('error', () => process.exit(0));
  await runStep(command, config, { ...io, keys });
});
