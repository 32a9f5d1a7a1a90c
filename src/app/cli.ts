import { resolve } from 'node:path';
import { openDataFolder } from '../dataFolder/dataFolder.ts';
import { requireLogFile } from '../dataFolder/requireLogFile.ts';
import type { HistoryTarget } from '../eventLog/transfer/history.ts';
import { readConfig } from './config/config.ts';
import type { Service } from './main.ts';
import { isOperatorError, reportText } from './wiring/reportText.ts';

// Each command imports what it needs: a start loads nothing for the others.

const say = (line: string) => process.stdout.write(`${line}\n`);
const complain = (line: string) => process.stderr.write(`${line}\n`);
/** Causes that an operator can mend are one sentence each; the stack helps nobody then. */
const complainOf = (error: unknown) =>
  complain(error instanceof Error && !isOperatorError(error) ? error.message : reportText(error));

const ECHO_MS = 500;

const USAGE = `Usage: svc <command>

  serve                run the service (settings come from the environment, see README.md)
  rebuild              make the read models anew from the log; the service must not be running, except with MongoDB
  rebuild --compare    make them beside the live ones and compare; exit code 1 on any difference
  export FILE          write the whole history, vault included, into a file; the service must not be running
  import FILE          bring it into an empty store: EventStoreDB when SVC_EVENTSTORE_URL is set, else the data folder
  reset-password       give the dashboard a new password and end every session; the service must not be running
  reset-password --totp  switch TOTP off as well, when the authenticator is lost
`;

async function serve(): Promise<void> {
  let service: Service | undefined;
  const end = (code: number) => {
    process.exitCode = code;
    // Whatever still holds the process after everything was flushed is not worth waiting for.
    setTimeout(() => process.exit(), 500).unref();
  };
  let stoppingSince: number | undefined;
  const onSignal = (signal: NodeJS.Signals) => {
    // Nothing was accepted yet, and the log takes a sudden end at any time.
    if (!service) process.exit(0);
    if (stoppingSince !== undefined) {
      // Under npm one Ctrl-C arrives twice, from the terminal and from npm: only a later one is a second one.
      const isEcho = signal === 'SIGINT' && performance.now() - stoppingSince < ECHO_MS;
      if (!isEcho) process.exit(130);
      return;
    }
    stoppingSince = performance.now();
    say(`${signal}: finishing open requests, send it again to stop at once`);
    service.stop().then(
      () => end(0),
      (error: Error) => {
        complainOf(error);
        end(1);
      },
    );
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  const config = readConfig();
  const { startService } = await import('./main.ts');
  service = await startService(config, {
    say,
    onFatal(error) {
      complainOf(error);
      void Promise.resolve(service?.stop()).finally(() => end(1));
    },
  });
  say(`svc is listening on ${service.url}`);
}

async function rebuild(): Promise<void> {
  const { SVC_DATA_DIR, SVC_NODE_ID, SVC_MONGODB_URL } = readConfig();
  // Before the folder is taken, which would make one.
  const logPath = requireLogFile(resolve(SVC_DATA_DIR), logName());
  if (SVC_MONGODB_URL !== undefined) {
    const { rebuildMongoReadModels } = await import('../readModels/mongo/rebuild.ts');
    const end = await rebuildMongoReadModels({
      url: SVC_MONGODB_URL,
      logPath,
      isCopy: isCopy(),
      onProgress: tellProgress(),
    });
    say(`the read models are made anew, up to position ${end}`);
    return;
  }
  const { rebuildReadModels } = await import('../readModels/sqlite/rebuild.ts');
  const folder = openDataFolder(SVC_DATA_DIR, { nodeId: SVC_NODE_ID });
  try {
    const end = rebuildReadModels({ folder: folder.path, logName: logName(), onProgress: tellProgress() });
    say(`the read models are made anew, up to position ${end}`);
  } finally {
    folder.close();
  }
}

async function compare(): Promise<void> {
  const { SVC_DATA_DIR, SVC_MONGODB_URL } = readConfig();
  const { compareReadModels } = await import('../readModels/sqlite/rebuild.ts');
  const onProgress = tellProgress();
  const { position, rows, differences } =
    SVC_MONGODB_URL === undefined
      ? compareReadModels({ folder: resolve(SVC_DATA_DIR), logName: logName(), onProgress })
      : await (await import('../readModels/mongo/rebuild.ts')).compareMongoReadModels({
          url: SVC_MONGODB_URL,
          logPath: requireLogFile(resolve(SVC_DATA_DIR), logName()),
          isCopy: isCopy(),
          onProgress,
        });
  if (differences.length === 0) {
    say(`no difference in ${rows} rows, up to position ${position}`);
    return;
  }
  for (const difference of differences) say(difference);
  complain('the live read models differ from the log (only the first differences are shown)');
  process.exitCode = 1;
}

/** Whether the data folder holds a copy of the log, which itself is in EventStoreDB. */
const isCopy = () => readConfig().SVC_EVENTSTORE_URL !== undefined;
const logName = () => (isCopy() ? 'mirror.sqlite' : 'log.sqlite');

async function reset(keepsTotp: boolean): Promise<void> {
  const { resetPassword } = await import('./resetPassword.ts');
  const { password, asksForTotp } = await resetPassword(readConfig(), { keepsTotp, say });
  say(`The dashboard password is now ${password}`);
  say('Every session has ended. Sign in with it, then change it.');
  if (asksForTotp) say('A code of the authenticator is still asked for; if it is lost, use reset-password --totp.');
}

/** @param move what to do with the history in the store that the environment names */
async function withHistory(move: (history: HistoryTarget) => Promise<string>): Promise<void> {
  const config = readConfig();
  const { openHistory } = await import('./wiring/history.ts');
  const folder = openDataFolder(config.SVC_DATA_DIR, { nodeId: config.SVC_NODE_ID });
  try {
    const history = await openHistory(config, folder, say);
    try {
      say(await move(history));
    } finally {
      await history.close();
    }
  } finally {
    folder.close();
  }
}

async function exportTo(path: string): Promise<void> {
  if (!isCopy()) requireLogFile(resolve(readConfig().SVC_DATA_DIR));
  await withHistory(async (history) => {
    const { exportHistory } = await import('../eventLog/transfer/transfer.ts');
    const { events, keys } = await exportHistory(history, path, tellProgress());
    return `${events} events and ${keys} keys are in ${path}; each chain of hashes is intact`;
  });
}

const importFrom = (path: string) =>
  withHistory(async (history) => {
    const { importHistory } = await import('../eventLog/transfer/transfer.ts');
    const { events, keys, alreadyThere } = await importHistory(history, path, tellProgress());
    const before = alreadyThere > 0 ? ` (${alreadyThere} were there before)` : '';
    return `${events} events${before} and ${keys} keys are written, read back and the same; each chain of hashes is intact`;
  });

/** One line for each tenth of the log. */
function tellProgress() {
  let told = 0;
  return (done: number, of: number) => {
    const percent = of === 0 ? 100 : Math.floor((done / of) * 100);
    if (percent < 100 && percent < told + 10) return;
    told = percent;
    say(`${percent} % (${done} of ${of} events)`);
  };
}

// The data folder of a container is not ours to close, so each file in it is.
process.umask(0o077);

const [command = 'serve', ...args] = process.argv.slice(2);
try {
  if (command === 'serve') {
    await serve();
  } else if (command === 'rebuild' && args.length === 0) {
    await rebuild();
  } else if (command === 'rebuild' && args.length === 1 && args[0] === '--compare') {
    await compare();
  } else if (command === 'export' && args.length === 1) {
    await exportTo(args[0] ?? '');
  } else if (command === 'import' && args.length === 1) {
    await importFrom(args[0] ?? '');
  } else if (command === 'reset-password' && (args.length === 0 || (args.length === 1 && args[0] === '--totp'))) {
    await reset(args.length === 0);
  } else if (command === 'help' || command === '--help' || command === '-h') {
    process.stdout.write(USAGE);
  } else {
    process.stderr.write(USAGE);
    process.exitCode = 2;
  }
} catch (error) {
  complainOf(error);
  process.exit(1);
}
