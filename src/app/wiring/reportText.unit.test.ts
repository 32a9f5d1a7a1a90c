import { expect, test } from 'vitest';
import { FoldUnavailable } from '../../state/hotRunner.ts';
import { reportText } from './reportText.ts';

test('prints the message of an error that an operator can act on, without its class name', () => {
  expect(reportText(new FoldUnavailable('the usage of account a could not be read'))).toBe(
    'the usage of account a could not be read',
  );
  expect(reportText(new Error(''))).toMatch(/^Error\b/);
  expect(reportText('the lease is held by this node now')).toBe('the lease is held by this node now');
});

test('prints the stack of a bug', () => {
  const broken = () => (undefined as unknown as string).length;
  let bug: unknown;
  try {
    broken();
  } catch (error) {
    bug = error;
  }
  expect(reportText(bug)).toMatch(/^TypeError: .+\n\s+at broken .*reportText\.unit\.test\.ts/);
});
