import { readConfig } from '../../../src/app/config/config.ts';
import { startService } from '../../../src/app/main.ts';
import { environmentFor, type RunningService, type ServeOptions } from './serve.ts';

/**
 * Runs the service in this process: a third of the time of `serve`, for tests of what a start reads from a folder rather
 * than of the process. Output and exit code are those of `svc serve`.
 */
export function serveInProcess(options: ServeOptions): RunningService {
  const [stdout, stderr]: [string[], string[]] = [[], []];
  const starting = startService(readConfig(environmentFor(options)), {
    print: (line) => stdout.push(line),
    onFatal: (error) => stderr.push(error.message),
    ...(options.socketTimes && { socketTimes: options.socketTimes }),
  });
  // `listening()` reports a failed start.
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
