import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { completed } from '../../../test/support/management.ts';
import { endByReadModels } from './endByReadModels.ts';
import { aChangedFolder, filesIn } from './pastFolder.support.ts';

test('finds the end of a request by the read models, which must be that of the log', async () => {
  const { folder, stage } = await aChangedFolder();
  const at = await stage.append(completed({ requestId: 'asked' }));
  await stage.append(completed({ requestId: 'another' }));
  await stage.call('GET', '/api/request-logs');
  const endOf = (id: string, readModels = join(folder, 'readmodels.sqlite')) =>
    endByReadModels(readModels, join(folder, 'log.sqlite'), id);
  await vi.waitFor(() => expect(endOf('asked')).toBe(at), { timeout: 10_000, interval: 10 });
  const before = filesIn(folder);
  expect([endOf('unknown'), endOf('asked', join(folder, 'log.sqlite')), endOf('asked', join(folder, 'none'))]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(filesIn(folder)).toEqual(before);
});
