import { readConfig } from './config.ts';
import { type Service, startService } from './main.ts';

const say = (line: string) => process.stdout.write(`${line}\n`);
const complain = (line: string) => process.stderr.write(`${line}\n`);

const ECHO_MS = 500;

const USAGE = `Usage: svc <command>

  serve    run the service (settings come from the environment, see README.md)
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
        complain(error.message);
        end(1);
      },
    );
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  service = await startService(readConfig(), {
    say,
    onFatal(error) {
      complain(error.message);
      void Promise.resolve(service?.stop()).finally(() => end(1));
    },
  });
  say(`svc is listening on ${service.url}`);
}

const [command = 'serve'] = process.argv.slice(2);
try {
  if (command === 'serve') {
    await serve();
  } else {
    process.stderr.write(USAGE);
    process.exitCode = 2;
  }
} catch (error) {
  // Causes that an operator can mend are one sentence each; the stack helps nobody then.
  complain(error instanceof Error ? error.message : String(error));
  process.exit(1);
}
