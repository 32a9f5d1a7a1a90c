import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { openDataFolder } from '../../dataFolder/dataFolder.ts';
import { DataFolderInUse } from '../../dataFolder/folderLock.ts';
import { requireLogFile } from '../../dataFolder/requireLogFile.ts';
import type { Instant } from '../../domain/core/brands.ts';
import { Refusal } from '../../domain/core/refusal.ts';
import type { HoldCommand } from '../../domain/hold/decide.ts';
import { shownScope } from '../../domain/hold/events.ts';
import { messageOf } from '../../http/errors/errors.ts';
import { Faults } from '../../lib/faults.ts';
import { createKeyedMutex } from '../../lib/keyedMutex.ts';
import { createRetainedKeys } from '../../management/accounts/retainedKeys.ts';
import { parseTime } from '../../management/http/isoTime.ts';
import { createCommandHandler } from '../../state/commands/commandHandler.ts';
import { subjects } from '../../state/fold/subjects.ts';
import { type HotRunner, startHotRunner } from '../../state/hotRunner.ts';
import { firstFold } from '../../state/snapshots/sealedFold.ts';
import type { Config } from '../config/config.ts';
import { openStore } from '../wiring/openStore.ts';
import { userName } from './userName.ts';

/** The command could not be carried out; nothing was changed. */
export class CannotHold extends Error {
  override readonly name = 'CannotHold';
}

type HoldAction = { readonly type: 'ListHolds' } | HoldCommand;

/** @returns undefined for arguments that `hold` does not have. @throws CannotHold for a time that is none */
export function parseHoldArguments([action, ...args]: readonly string[]): HoldAction | undefined {
  const text = { type: 'string' } as const;
  const options = action === 'place' ? { reason: text, subject: text, from: text, until: text } : { reason: text };
  try {
    const { values, positionals } = parseArgs({ args, allowPositionals: true, options });
    const { reason, subject, from, until } = values as Record<
      'reason' | 'subject' | 'from' | 'until',
      string | undefined
    >;
    const [holdId, ...others] = positionals;
    if (action === 'list') return args.length === 0 ? { type: 'ListHolds' } : undefined;
    if (reason === undefined || others.length > 0) return undefined;
    if (action === 'lift' && holdId !== undefined) return { type: 'LiftHold', holdId, reason };
    if (action !== 'place' || holdId !== undefined) return undefined;
    const period = { from: readTime('--from', from), until: readTime('--until', until) };
    return { type: 'PlaceHold', holdId: randomUUID(), subject: subject ?? null, ...period, reason };
  } catch (error) {
    if (error instanceof CannotHold) throw error;
    return undefined;
  }
}

function readTime(name: string, text: string | undefined): Instant | null {
  if (text === undefined) return null;
  const time = parseTime(text);
  if (time === undefined) {
    throw new CannotHold(`${name} must be a day (UTC) or a time like 2026-01-31T12:00:00Z, not "${text}".`);
  }
  return time;
}

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

  const retainedKeys = createRetainedKeys({ hot, vault, mutex: createKeyedMutex(), report });
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
