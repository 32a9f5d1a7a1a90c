import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../test/support/management.ts';
import { unrecordedFile } from './unrecordedFile.ts';

test.each(['', '{', '{}', 'null'])('begins without alerts when the file has %j', (content) => {
  const path = join(temporaryFolder(), 'alerts-unrecorded.json');
  writeFileSync(path, content);
  expect(unrecordedFile(path).load()).toEqual([]);
});
