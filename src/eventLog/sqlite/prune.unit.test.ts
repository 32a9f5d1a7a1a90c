import type { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { prune } from './prune.ts';

/** A database whose commits fail. */
const failing = (errcode: number) =>
  ({
    isTransaction: false,
    prepare: () => ({ run() {} }),
    exec(sql: string) {
      if (sql === 'COMMIT') throw Object.assign(new Error('it failed'), { errcode });
    },
  }) as unknown as DatabaseSync;

const ranges = [{ stream: 'requests-n1.b1_20260101', upTo: 3, keepsLast: true }];

test('ignores a full disk', () => expect(() => prune(failing(13), ranges)).not.toThrow());

test.each([10, 10 + 4 * 256])('throws the I/O error %i, so that the file is opened again', (errcode) =>
  expect(() => prune(failing(errcode), ranges)).toThrow('it failed'),
);
