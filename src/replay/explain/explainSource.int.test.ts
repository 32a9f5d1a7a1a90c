import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { completed } from '../../../test/support/management.ts';
import { aChangedFolder } from '../../app/past/pastFolder.support.ts';
import { ExplainSource } from './explainSource.ts';

test('finds the end of a request without its position, whatever the order of its fields', async () => {
  const { folder, stage } = await aChangedFolder();
  const at = await stage.append(completed({ requestId: 'asked' }));
  const respelled = await stage.append(completed({ requestId: 'respelled' }));
  await stage.append(completed({ requestId: 'quotes asked: {"requestId":"asked"' }));
  const path = `${folder}/log.sqlite`;
  const database = new DatabaseSync(path);
  const { data } = database.prepare('SELECT data FROM events WHERE position = ?').get(respelled) as { data: string };
  const { requestId, ...others } = JSON.parse(data);
  const update = database.prepare('UPDATE events SET data = ? WHERE position = ?');
  update.run(JSON.stringify({ ...others, requestId }), respelled);
  database.close();
  const source = new ExplainSource(path);
  try {
    expect(['asked', 'respelled', 'ask'].map((id) => source.endOf(id)?.position)).toEqual([at, respelled, undefined]);
  } finally {
    source.close();
  }
});
