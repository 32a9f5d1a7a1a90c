import { readConfig } from '../../../src/app/config/config.ts';
import { startService } from '../../../src/app/main.ts';
import { type Running, type ServeOptions, settingsFor } from './serve.ts';

/**
 * The service in this process: for tests in which the process is not what counts, but what a start makes of a folder. It
 * says and ends what `svc serve` would, for a third of the time.
 */
export function serveInside(options: ServeOptions): Running {
  const [stdout, stderr]: [string[], string[]] = [[], []];
  const starting = startService(readConfig(settingsFor(options)), {
    say: (line) => stdout.push(line),
    onFatal: (error) => stderr.push(error.message),
  });
  // Whoever waits for it to listen is told.
  starting.catch(() => undefined);
  const stop = async () => {
    await (await starting).stop();
    return { exitCode: stderr.length > 0 ? 1 : 0, stdout, stderr };
  };
  return {
    listening: async () => (await starting).url,
    stop,
    async [Symbol.asyncDispose]() {
      await stop().catch(() => undefined);
    },
  };
}
