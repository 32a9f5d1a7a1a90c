import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { openDataFolder } from '../../../dataFolder/dataFolder.ts';
import { requireLogFile } from '../../../dataFolder/requireLogFile.ts';
import { type Instant, instant } from '../../../domain/core/brands.ts';
import { Faults } from '../../../lib/faults.ts';
import { createCommandHandler } from '../../../state/commands/commandHandler.ts';
import { subjects } from '../../../state/fold/subjects.ts';
import { startHotRunner } from '../../../state/hotRunner.ts';
import { firstFold } from '../../../state/snapshots/sealedFold.ts';
import type { Config } from '../../config/config.ts';
import { openStore } from '../../wiring/openStore.ts';
import { userName } from '../userName.ts';

/** The windows of limits before and after the acceptance. */
export interface AcceptedClock {
  readonly from: Instant;
  readonly to: Instant;
}

/**
 * Lets the windows of limits follow the clock of this machine again, also back. No other process may have the folder open;
 * a running service has `POST /api/clock/accept`.
 * @param print prints lines for the operator, e.g. while it waits for a store
 * @returns undefined when the windows follow the clock anyway
 * @throws LogFileMissing | DataFolderInUse
 */
export async function acceptClock(
  config: Config,
  { print }: { readonly print: (line: string) => void },
): Promise<AcceptedClock | undefined> {
  const path = resolve(config.SVC_DATA_DIR);
  if (config.SVC_EVENTSTORE_URL === undefined) requireLogFile(path);
  await using opened = new AsyncDisposableStack();
  const folder = opened.adopt(openDataFolder(path, { nodeId: config.SVC_NODE_ID }), (locked) => locked.close());
  const store = await openStore(config, folder, {
    print,
    report: (error) => print(String(error)),
    faults: new Faults({ print, now: Date.now }),
  });
  opened.defer(async () => {
    await store.outbox?.close();
    await store.close();
  });
  const hot = opened.adopt(await startHotRunner(store.log, () => undefined, firstFold(store.logPath)), (runner) =>
    runner.stop(),
  );
  const { time: from } = hot.state.windowsClock;
  const handle = createCommandHandler({ log: store.log, hot });
  const { events } = await handle(
    subjects.clock,
    'main',
    { type: 'AcceptClock', node: folder.node },
    {
      actor: { kind: 'cli', command: 'accept-clock', user: userName() },
      correlationId: randomUUID(),
    },
  );
  return events.length === 0 ? undefined : { from, to: hot.state.windowsClock.accepted?.time ?? instant(Date.now()) };
}
