import { expect, test } from 'vitest';
import { columnsFrom } from './logColumns.ts';

const viewer = { width: 1_280, seesAccounts: true };

test('shows more columns in wider windows', () => {
  expect(columnsFrom(null, viewer)).toEqual(['status', 'model', 'account', 'tokens', 'cost', 'took']);
  expect(columnsFrom(null, { ...viewer, width: 1_440 })).toContain('key');
  expect(columnsFrom(null, { ...viewer, width: 1_920 })).toEqual(expect.arrayContaining(['owner', 'client']));
});

test('shows members the key instead of the account, on every width', () => {
  const columns = columnsFrom(null, { width: 360, seesAccounts: false });
  expect(columns).toContain('key');
  expect(columns).not.toContain('account');
  expect(columnsFrom('account,model', { width: 360, seesAccounts: false })).toEqual(['model']);
});

test('shows the chosen columns in the order of the list, whatever the width', () => {
  expect(columnsFrom('client,owner,nothing,model', viewer)).toEqual(['model', 'owner', 'client']);
  expect(columnsFrom('', viewer)).toEqual([]);
});

test('shows the usual columns when a link names none that exists', () => {
  expect(columnsFrom('nothing,none', viewer)).toEqual(columnsFrom(null, viewer));
});
