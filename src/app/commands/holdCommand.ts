import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { openDataFolder } from '../../dataFolder/dataFolder.ts';
import { DataFolderInUse } from '../../dataFolder/folderLock.ts';
import { requireLogFile } from '../../dataFolder/requireLogFile.ts';
import { Refusal } from '../../domain/core/refusal.ts';
import type { HoldCommand } from '../../domain/hold/decide.ts';
import { shownScope } from '../../domain/hold/events.ts';
import { messageOf } from '../../http/errors/errors.ts';
import { Faults } from '../../lib/faults.ts';
import { createKeyedMutex } from '../../lib/keyedMutex.ts';
import { createRetainedKeys } from '../../management/accounts/retainedKeys.ts';
import { createCommandHandler } from '../../state/commands/commandHandler.ts';
import { subjects } from '../../state/fold/subjects.ts';
import { type HotRunner, startHotRunner } from '../../state/hotRunner.ts';
import { firstFold } from '../../state/snapshots/sealedFold.ts';
import { refuseArguments, shown } from '../commandLine/argumentsRefused.ts';
import { noOperand, oneOperand, readArguments, timeOption } from '../commandLine/readArguments.ts';
import type { Config } from '../config/config.ts';
import { openStore } from '../wiring/openStore.ts';
import { userName } from './userName.ts';

/** The command could not be carried out; nothing was changed. */
export class CannotHold extends Error {
  override readonly name = 'CannotHold';
}

type HoldAction = { readonly type: 'ListHolds' } | HoldCommand;

/** @throws ArgumentsRefused */
export function parseHoldArguments([action = '', ...args]: readonly string[]): HoldAction {
  const text = { type: 'string' } as const;
  switch (action) {
    case 'list':
      noOperand(readArguments(args, {}).positionals);
      return { type: 'ListHolds' };
    case 'lift': {
      const { values, positionals } = readArguments(args, { reason: text });
      return { type: 'LiftHold', holdId: oneOperand(positionals, 'HOLD'), reason: reasonOf(values) };
    }
    case 'place': {
      const { values, positionals } = readArguments(args, { reason: text, subject: text, from: text, until: text });
      noOperand(positionals);
      const from = timeOption('--from', values.from, 'first') ?? null;
      const until = timeOption('--until', values.until, 'last') ?? null;
      const [subject, reason] = [values.subject ?? null, reasonOf(values)];
      return { type: 'PlaceHold', holdId: randomUUID(), subject, from, until, reason };
    }
    default:
      return refuseArguments(`hold takes list, place or lift${action === '' ? '' : `, not ${shown(action)}`}.`);
  }
}

const reasonOf = ({ reason }: { reason?: string | undefined }): string =>
  reason ?? refuseArguments('--reason is missing.');

/**
 * `svc hold`: lists, places and lifts legal holds in a stopped data folder; a running service has `/api/holds`.
 * @param print prints lines for the operator
 * @throws CannotHold | LogFileMissing, and what opening the store throws
 */
export async function runHold(
  action: HoldAction,
  config: Config,
  { print }: { readonly print: (line: string) => void },
): Promise<void> {
  const path = resolve(config.SVC_DATA_DIR);
  if (config.SVC_EVENTSTORE_URL === undefined) requireLogFile(path);
  await using opened = new AsyncDisposableStack();
  const folder = opened.adopt(openFolder(path, config.SVC_NODE_ID), (locked) => locked.close());
  const report = (error: unknown) => print(String(error));
  const store = await openStore(config, folder, { print, report, faults: new Faults({ print, now: Date.now }) });
  opened.defer(async () => {
    await store.outbox?.close();
    await store.close();
  });
  const { log, vault } = store;
  const hot = opened.adopt(await startHotRunner(log, () => undefined, firstFold(store.logPath)), (runner) =>
    runner.stop(),
  );
  if (action.type === 'ListHolds') return printHolds(hot, print);

  const retainedKeys = createRetainedKeys({ hot, vault, log, mutex: createKeyedMutex(), report });
  const before = [...hot.state.holds.retained.keys()];
  const cause = {
    actor: { kind: 'cli', command: `hold ${action.type === 'PlaceHold' ? 'place' : 'lift'}`, user: userName() },
    correlationId: randomUUID(),
  } as const;
  await createCommandHandler({ log, hot })(subjects.hold, 'main', action, cause).catch(explainRefusal);
  await retainedKeys.settled();
  if (action.type === 'PlaceHold') {
    print(`Legal hold ${action.holdId} is placed on ${shownScope(action)}.`);
    return;
  }
  print(`Legal hold ${action.holdId} is lifted.`);
  for (const accountId of before) {
    if (!hot.state.holds.retained.has(accountId)) print(`The data key of deleted account ${accountId} is destroyed.`);
  }
}

function openFolder(path: string, nodeId: string | undefined) {
  try {
    return openDataFolder(path, { nodeId });
  } catch (error) {
    if (!(error instanceof DataFolderInUse)) throw error;
    throw new CannotHold(
      `${path} is in use by a running service, which has its holds at /api/holds: use that or the dashboard, or stop it.`,
    );
  }
}

function printHolds({ state: { holds } }: HotRunner, print: (line: string) => void): void {
  if (holds.active.size === 0) print('No legal hold lasts.');
  for (const { id, reason, placedAt, ...scope } of holds.active.values()) {
    print(`${id}  since ${new Date(placedAt).toISOString()}, on ${shownScope(scope)}: ${reason}`);
  }
  for (const accountId of holds.retained.keys()) print(`Account ${accountId} is deleted; its data key is held.`);
}

function explainRefusal(error: unknown): never {
  if (!(error instanceof Refusal)) throw error;
  throw new CannotHold(`${messageOf(error.code, error.details)}`);
}
