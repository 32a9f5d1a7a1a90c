import { parsedCommand } from '../commandLine/command.ts';
import { openBundle, parseOpenArguments } from './openCommand.ts';

/** `svc open`: serves a bundle until a signal ends it, with exit code 0. */
export const openUntilSignal = parsedCommand(parseOpenArguments, async (command, _config, io) => {
  const opened = await openBundle(command, io);
  io.print(`The bundle is served read-only on ${opened.url}. End it with Ctrl+C.`);
  await new Promise<void>((stop) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stop());
  });
  await opened.close();
  process.exit(0);
});
