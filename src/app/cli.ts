import { escapeText } from '../lib/log/escapeText.ts';
import { nearestName } from '../lib/nearestName.ts';
import { ArgumentsRefused, shown } from './commandLine/argumentsRefused.ts';
import { type CommandIo, NOT_UNDERSTOOD } from './commandLine/command.ts';
import { usageOf } from './commandLine/usage.ts';
import { commands } from './commands.ts';
import { isOperatorError, reportText } from './wiring/reportText.ts';

// The output of a command is its result; what the service writes goes through its log.
const io: CommandIo = {
  print: (line) => process.stdout.write(`${escapeText(line)}\n`),
  printError: (line) => process.stderr.write(`${escapeText(line)}\n`),
};

const HELP = ['help', '--help', '-h'];
const isHelp = (word: string | undefined) => word !== undefined && HELP.includes(word);

/** @returns the exit code: 2 for a command line that svc does not understand */
async function run(words: readonly string[]): Promise<number> {
  const [first, second, ...others] = words;
  // `svc help verify` and `svc verify --help` are the same.
  const [name, flag] = isHelp(first) ? [second, first] : [first, second];
  const command = commands.find((known) => known.name === name);
  const usage = usageOf(command ? [command] : commands);
  let reason: string | undefined;
  if (isHelp(flag) && others.length === 0 && (command || name === undefined)) {
    process.stdout.write(usage);
    return 0;
  }
  if (command && !isHelp(first)) {
    try {
      const code = await (await command.load())(words.slice(1), io);
      if (code !== NOT_UNDERSTOOD) return code;
    } catch (error) {
      if (!(error instanceof ArgumentsRefused)) {
        reportError(error);
        process.exit(command.failureCode);
      }
      reason = error.message;
    }
  }
  process.stderr.write(usage);
  if (first !== undefined) io.printError(notUnderstood(words, reason ?? advice(command ? undefined : name)));
  return 2;
}

/** Written below the usage, where it is seen. */
const notUnderstood = (words: readonly string[], reason: string): string =>
  `Not understood: svc ${words.map(shown).join(' ')}. ${reason}`;

function advice(unknownName: string | undefined): string {
  const names = commands.map((command) => command.name);
  const nearest = unknownName === undefined ? undefined : nearestName(unknownName, names);
  return nearest === undefined ? 'What svc takes is said above.' : `Did you mean "svc ${nearest}"?`;
}

/** An error that an operator can act on is one sentence; only bugs are printed with their stack. */
function reportError(error: unknown): void {
  const text = isOperatorError(error) ? (error as Error).message : reportText(error);
  for (const line of text.split('\n')) io.printError(line);
}

// A program that reads the output, such as `head`, may end before it has all of it. The command goes on: what it does matters more.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

// Files are private even where the data folder is not, as in a container's volume.
process.umask(0o077);
process.exitCode = await run(process.argv.slice(2));
