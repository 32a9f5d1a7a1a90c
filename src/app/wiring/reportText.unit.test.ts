import { expect, test } from 'vitest';
import { FoldUnavailable } from '../../state/hotRunner.ts';
import { reportDetails, reportText } from './reportText.ts';

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

test.each(['secret prompt', '{"input": "secret prompt\\n", }', `${'x'.repeat(100)} secret prompt ${'y'.repeat(100)}`])(
  'quotes nothing of a text that is no JSON: %s',
  (text) => {
    let error: unknown;
    try {
      JSON.parse(text);
    } catch (thrown) {
      error = thrown;
    }
    expect(reportText(error)).toMatch(/^SyntaxError: .* in JSON/);
    expect(reportText(error)).not.toMatch(/secret|xxx|yyy|input/);
  },
);

test('names the place of a bug and the request that met it', () => {
  const error = new TypeError('no');
  expect(reportDetails(error, 'req_1')).toEqual({
    level: 'error',
    code: 'internal_error',
    subject: expect.stringMatching(/^reportText\.unit\.test\.ts:\d+$/),
    request: 'req_1',
  });
  expect(reportDetails(new Error('the log is full'))).toEqual({ level: 'warn' });
  expect(reportDetails(new Error('the log is full'), 'req_1')).toMatchObject({ code: 'internal_error' });
  expect(reportDetails('the lease is held')).toEqual({ level: 'info' });
});
