import { collectGarbage } from '../lib/collectGarbage.ts';
import { keepTickShape } from '../lib/keepTickShape.ts';
import { readConfig, readLogFormat } from './config/config.ts';
import type { Service } from './runService.ts';
import { openServiceOutput } from './serviceOutput.ts';
import { serviceSignals } from './serviceSignals.ts';

/** `svc serve`: runs the service until a signal stops it, which ends the process. */
export async function serve(): Promise<void> {
  serviceSignals.listen();
  keepTickShape();
  const { print, printFatal } = openServiceOutput(readLogFormat());
  serviceSignals.printTo(print);
  let service: Service | undefined;
  try {
    const config = readConfig();
    const { startService } = await import('./main.ts');
    service = await startService(config, {
      print,
      buildsDashboard: true,
      collectGarbage,
      onFatal(error) {
        printFatal(error);
        void Promise.resolve(service?.stop({ reason: 'failure', detail: error.message })).finally(() =>
          process.exit(1),
        );
      },
    });
  } catch (error) {
    printFatal(error);
    process.exit(1);
  }
  serviceSignals.attach({
    service,
    // Not by itself: while Node takes itself down, a signal that npm repeats would end the process with another code.
    onStopped(error) {
      if (error) printFatal(error);
      process.exit(error ? 1 : 0);
    },
  });
  print(`svc is listening on ${service.url}`);
}
