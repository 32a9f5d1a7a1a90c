import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { parseVkey } from '../../../src/integrity/notes/noteKeys.ts';
import { checkPublished } from '../../../src/integrity/published/checkPublished.ts';
import { readPublished } from '../../../src/integrity/published/readPublished.ts';
import { managementApi } from '../../durability/support/managementApi.ts';
import { type ServiceProcess, serve } from '../../durability/support/serve.ts';
import { tempDir } from '../../e2e/support/tempDir.ts';

type Environment = Readonly<Record<string, string>>;

/** Folders of a test: one that checkpoints are published to, and data folders by name. */
export async function stage() {
  const root = await tempDir('checkpoints');
  onTestFinished(() => root[Symbol.asyncDispose]());
  const at = (name: string) => join(root.path, name);
  const published = at('published');
  mkdirSync(published);
  const start = (name: string, env: Environment = {}, command?: readonly string[]): ServiceProcess => {
    const service = serve({
      folder: at(name),
      env: { SVC_CHECKPOINT_DIR: published, SVC_DRAIN_SECONDS: '1', ...env },
      ...(command && { command: [process.execPath, 'src/start.mjs', ...command] }),
    });
    onTestFinished(() => service[Symbol.asyncDispose]());
    return service;
  };
  return {
    at,
    published,
    start,
    /** Runs a command of svc to its end. */
    command: (name: string, command: string, env?: Environment) => start(name, env, command.split(' ')).ended,
    /** Starts a service, makes events, and stops it. @returns its lines */
    async use(name: string, env?: Environment): Promise<string> {
      const service = start(name, env);
      await change(await service.listening());
      return (await service.stop()).stdout.join('\n');
    },
    copy: (from: string, to: string) => cpSync(at(from), at(to), { recursive: true }),
    sizes: () => readPublished(published).checkpoints.map(({ size }) => size),
    /** What an auditor finds who was given the verifier key of a data folder. */
    check: (name: string) => checkPublished(readPublished(published), [vkeyOf(at(name))]),
  };
}

/** The verifier key that a data folder names. */
export const vkeyOf = (folder: string) => parseVkey(readFileSync(join(folder, 'checkpoint.pub'), 'utf8').trim());

/** Makes three events. */
export async function change(url: string): Promise<void> {
  for (let count = 0; count < 3; count += 1)
    await managementApi(url).call('POST', '/api/api-keys', { name: `key ${count}` });
}
