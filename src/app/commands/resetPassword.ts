import { randomBytes, randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { openDataFolder } from '../../dataFolder/dataFolder.ts';
import { requireLogFile } from '../../dataFolder/requireLogFile.ts';
import { Faults } from '../../lib/faults.ts';
import { createPasswords } from '../../management/auth/passwords.ts';
import { destroyKeysOfDisabledTotp } from '../../management/auth/totpKeys.ts';
import { isOpen } from '../../management/people/principal.ts';
import { createCommandHandler } from '../../state/commands/commandHandler.ts';
import { subjects } from '../../state/fold/subjects.ts';
import { startHotRunner } from '../../state/hotRunner.ts';
import { firstFold } from '../../state/snapshots/sealedFold.ts';
import type { Config } from '../config/config.ts';
import { openStore } from '../wiring/openStore.ts';
import { userName } from './userName.ts';

export interface PasswordReset {
  /** The new password. */
  readonly password: string;
  /** Whether signing in still requires a code of the authenticator. */
  readonly isTotpRequired: boolean;
}

/** No password is set. */
export class NothingToReset extends Error {
  override readonly name = 'NothingToReset';
}

/**
 * Sets a random dashboard password and ends every session. Write access to the data folder is the only proof that is needed;
 * the event names the user. No other process may have the folder open.
 * @param keepsTotp false for a lost authenticator: TOTP is disabled too
 * @param print prints lines for the operator, e.g. while it waits for a store
 * @throws NothingToReset | LogFileMissing | DataFolderInUse | Refusal
 */
export async function resetPassword(
  config: Config,
  { keepsTotp, print }: { keepsTotp: boolean; print: (line: string) => void },
): Promise<PasswordReset> {
  const path = resolve(config.SVC_DATA_DIR);
  if (config.SVC_EVENTSTORE_URL === undefined) requireLogFile(path);
  await using opened = new AsyncDisposableStack();
  const folder = opened.adopt(openDataFolder(path, { nodeId: config.SVC_NODE_ID }), (lockedFolder) =>
    lockedFolder.close(),
  );
  const store = await openStore(config, folder, {
    print,
    report: (error) => print(String(error)),
    faults: new Faults({ print, now: Date.now }),
  });
  opened.defer(async () => {
    await store.outbox?.close();
    await store.close();
  });
  const { log, vault } = store;
  const hot = opened.adopt(await startHotRunner(log, () => undefined, firstFold(store.logPath)), (runner) =>
    runner.stop(),
  );
  const isReset = hot.state.dashboardAuth.password !== null;
  if (!isReset && isOpen(hot.state)) {
    throw new NothingToReset('No dashboard password is set: open the dashboard, or start svc and use its setup_token.');
  }

  const password = randomBytes(15).toString('base64url');
  const passwordHash = await createPasswords().hash(password);
  const passwordId = randomUUID();
  // It was removed while there were operators, or never set: possibly no other person can sign in.
  const command = isReset
    ? ({ type: 'ResetPassword', passwordId, passwordHash, keepsTotp } as const)
    : ({ type: 'SetPassword', passwordId, passwordHash } as const);
  const actor = { kind: 'cli', command: 'reset-password', user: userName() } as const;
  const handle = createCommandHandler({ log, hot });
  const { events, state } = await handle(subjects.dashboardAuth, 'main', command, {
    actor,
    correlationId: randomUUID(),
  });
  await destroyKeysOfDisabledTotp(vault, events);
  return { password, isTotpRequired: state.totp !== null && state.isTotpRequired };
}
