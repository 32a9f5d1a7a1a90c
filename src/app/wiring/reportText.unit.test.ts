import { expect, test } from 'vitest';
import { ProviderProblem } from '../../provider/client/throttledReports.ts';
import { reportText } from './reportText.ts';

test('what an operator can mend is one line', () => {
  expect(reportText(new ProviderProblem('the usage of account a could not be read'))).toBe(
    'ProviderTrouble: the usage of account a could not be read',
  );
  expect(reportText('the lease is held by this node now')).toBe('the lease is held by this node now');
});

test('a mistake of ours comes with the place where it was made', () => {
  const broken = () => (undefined as unknown as string).length;
  let mistake: unknown;
  try {
    broken();
  } catch (error) {
    mistake = error;
  }
  expect(reportText(mistake)).toMatch(/^TypeError: .+\n\s+at broken .*reportText\.unit\.test\.ts/);
});
