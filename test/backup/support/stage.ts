import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { onTestFinished } from 'vitest';
import { managementApi } from '../../durability/support/managementApi.ts';
import { sendRequest } from '../../durability/support/sendRequest.ts';
import { serve } from '../../durability/support/serve.ts';
import { requestBody } from '../../durability/support/stage.ts';
import { tempDir } from '../../e2e/support/tempDir.ts';
import { startProvider } from '../../support/provider/provider.ts';
import { textResponse } from '../../support/provider/scripts.ts';

/** All columns of the events of a log, in order. */
export function eventsIn(folder: string, upTo = Number.MAX_SAFE_INTEGER): unknown[] {
  using database = new DatabaseSync(join(folder, 'log.sqlite'), { readOnly: true });
  const columns = 'position, stream, revision, id, type, version, time, data, metadata';
  return database.prepare(`SELECT ${columns} FROM events WHERE position <= ? ORDER BY position`).all(upTo);
}

/** Name, size and content of every file of a folder. */
export const filesIn = (folder: string): [string, string][] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile())
    .toSorted()
    .map((name) => [name, readFileSync(join(folder, name)).toString('base64')]);

/** The position in the last line of `svc backup` or `svc restore`. */
export const positionIn = (lines: readonly string[]): number =>
  Number(/up to position (\d+)/.exec(lines.at(-1) ?? '')?.[1] ?? Number.NaN);

/** A service in a process of its own with an account, and clients that send requests until they are stopped. */
export async function loadedService(env: Readonly<Record<string, string>> = {}) {
  const folder = await tempDir('backup');
  const provider = await startProvider({ maxReceived: 100 });
  onTestFinished(async () => {
    await provider.close();
    await folder[Symbol.asyncDispose]();
  });
  const account = provider.addAccount();
  account.always(textResponse());
  const service = serve({ folder: folder.path, provider, env, timeoutMs: 300_000 });
  onTestFinished(() => service[Symbol.asyncDispose]());
  const url = await service.listening();
  const api = managementApi(url);
  await api.importAccount(account);
  const ask = (at: string = url) => sendRequest({ url: at, path: '/v1/responses', body: requestBody() });
  return {
    folder: folder.path,
    provider,
    service,
    url,
    api,
    ask,
    /** Clients that send one request after the other. */
    load(clients = 4) {
      const answered: string[] = [];
      let isStopped = false;
      const client = async (): Promise<void> => {
        while (!isStopped) {
          const { ending, requestId } = await ask();
          if (ending === 'completed' && requestId !== undefined) answered.push(requestId);
        }
      };
      const running = Promise.all(Array.from({ length: clients }, client));
      return {
        /** Ids of the requests whose responses arrived to their end. */
        answered,
        async stop() {
          isStopped = true;
          await running;
        },
      };
    },
  };
}
