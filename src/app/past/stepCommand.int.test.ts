import { expect, test } from 'vitest';
import { completed } from '../../../test/support/management.ts';
import type { ApiKeyId } from '../../domain/core/brands.ts';
import { aChangedFolder, filesIn, headOf, printed } from './pastFolder.support.ts';
import { parseStepArguments, runStep } from './stepCommand.ts';
import type { Step } from './steps.ts';

type Folder = Awaited<ReturnType<typeof aChangedFolder>>;

const commandOf = (...args: string[]) => {
  const command = parseStepArguments(args);
  if (!command) throw new Error('usage');
  return command;
};

async function stepsOf({ config }: Folder, ...args: string[]): Promise<Step[]> {
  const lines = await printed((given, io) => runStep(commandOf('--json', ...args), given, io), config);
  return lines.map((line) => JSON.parse(line));
}

/** Types keys one by one. */
async function* typed(text: string): AsyncGenerator<string> {
  yield* text;
}

const browse = ({ config }: Folder, keys: string, ...args: string[]) =>
  printed((given, io) => runStep(commandOf(...args), given, { ...io, keys: typed(keys) }), config);

test('goes through all events with what History shows of them, and changes no file', async () => {
  const folder = await aChangedFolder();
  const before = filesIn(folder.folder);
  const steps = await stepsOf(folder, '--from', '1');
  expect(steps.map(({ position }) => position)).toEqual(
    Array.from({ length: headOf(folder.stage) }, (_, index) => index + 1),
  );
  for (const step of steps) {
    const { body } = await folder.stage.call('GET', `/api/history/${step.position}`);
    expect(step).toEqual(body);
  }
  expect(filesIn(folder.folder)).toEqual(before);
});

test('takes the events of one subject only, named in any way', async () => {
  const folder = await aChangedFolder();
  const ofKey = await stepsOf(folder, '--from', '1', '--subject', 'team blue');
  expect(ofKey.map(({ type }) => type)).toEqual(['ApiKeyCreated', 'ApiKeyRenamed', 'ApiKeyDeactivated']);
  expect(ofKey.at(-1)?.changes).toContainEqual({ path: '/isActive', before: true, after: false });
  const [hold] = await stepsOf(folder, '--from', '1', '--subject', `hold:${folder.holdId}`);
  expect(hold).toMatchObject({ type: 'HoldPlaced', subject: 'holds-main' });
  await expect(stepsOf(folder, '--from', '1', '--subject', 'setings')).rejects.toThrow('Did you mean settings-main?');
});

test('says what a request changed of its key and its accounts', async () => {
  const folder = await aChangedFolder();
  const at = await folder.stage.append(completed({ keyId: folder.keyId as ApiKeyId }));
  const [step] = await stepsOf(folder, '--from', `${at}`);
  expect(step).toMatchObject({ type: 'RequestCompleted' });
  expect(step?.changes).toContainEqual({ path: '/apiKey/used/1', before: null, after: 120 });
});

test('begins at the first event of a time and ends with the last one', async () => {
  const folder = await aChangedFolder();
  const at = headOf(folder.stage);
  folder.stage.clock.now = (folder.stage.clock.now + 1_000) as typeof folder.stage.clock.now;
  const time = new Date(folder.stage.clock.now).toISOString();
  await folder.stage.call('PATCH', `/api/api-keys/${folder.keyId}`, { body: { name: 'later' } });
  expect((await stepsOf(folder, '--from', time)).map(({ position }) => position)).toEqual([at + 1]);
  const before = new Date(folder.stage.clock.now - 1).toISOString();
  expect((await stepsOf(folder, '--from', '1', '--to', before)).at(-1)?.position).toBe(at);
});

test('goes forward and back by keys, and stays at both ends', async () => {
  const folder = await aChangedFolder();
  const lines = await browse(folder, 'np?sp', '--from', '1', '--to', '2');
  expect(lines.filter((line) => /^\d+ {2}/.test(line)).map((line) => line.split('  ')[0])).toEqual(['1', '2', '1']);
  expect(lines.filter((line) => line.startsWith('Keys: '))).toHaveLength(2);
  expect(lines).toContain('Before:');
  expect(lines.at(-1)).toBe('This is the first event.');
  expect(await browse(folder, 'nnq', '--from', '1', '--to', '2')).toContain('This is the last event.');
  expect((await browse(folder, 'qn', '--from', '1')).filter((line) => /^2 {2}/.test(line))).toEqual([]);
});

test('refuses a period that ends before it begins, and arguments that it does not have', async () => {
  const folder = await aChangedFolder();
  await expect(stepsOf(folder, '--from', '3', '--to', '2')).rejects.toThrow('--from is position 3, after --to');
  await expect(stepsOf(folder, '--from', 'x')).rejects.toThrow('--from must be a position');
  expect(() => parseStepArguments([])).toThrow('--from is missing.');
  expect(() => parseStepArguments(['--from', '1', '--frm', '2'])).toThrow('There is no option --frm.');
});
