import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../test/support/runs.ts';
import { MAX_COMPARED_BYTES, redactMessage } from './redactMessage.ts';

const sent = (body: unknown) => [Buffer.from(JSON.stringify(body))];
const secret = 'The launch code of project "Zürich" is 4711';

describe('takes out of a message', () => {
  test.each([
    ['a prompt that is echoed whole', `Invalid input: ${secret}.`, { input: secret }, 'Invalid input: [...].'],
    ['a part of the prompt', 'near "launch code of project" found', { input: secret }, 'near "[...]" found'],
    [
      'a prompt with escapes',
      'got "a\nb\t\\"c\\" d e f g h i j k"',
      { input: 'a\nb\t\\"c\\" d e f g h i j k' },
      'got [...]',
    ],
    [
      'the arguments of a tool, which are JSON within JSON',
      'bad path /home/someone/secret.txt here',
      { input: [{ arguments: JSON.stringify({ command: 'cat "/home/someone/secret.txt"' }) }] },
      'bad path [...] here',
    ],
    ['an e-mail address', 'account of jane.doe+x@example.org is blocked', {}, 'account of [address] is blocked'],
    ['an e-mail address in a URL', 'see ?user=jane.doe%40example.org', {}, 'see ?user=[address]'],
    [
      'short IPv6 addresses',
      'from ::1, 2001:db8::7, fe80::1 and [2a00::1]:443 with std::string :: at 12:30:05',
      {},
      'from [address], [address], [address] and [[address]]:443 with std::string :: at 12:30:05',
    ],
    [
      'the request in base64',
      `cannot parse ${Buffer.from(JSON.stringify({ input: secret })).toString('base64')} here`,
      { input: secret },
      'cannot parse [encoded] here',
    ],
    [
      'the request in hexadecimal',
      `cannot parse ${Buffer.from(secret).toString('hex')}`,
      { input: secret },
      'cannot parse [encoded]',
    ],
    [
      'an access token',
      `refused Bearer ${`eyJhbGciOi.${'aB3'.repeat(20)}`}`,
      {},
      'refused Bearer eyJhbGciOi.[encoded]',
    ],
    ['a prompt in a URL', `GET /?q=${encodeURIComponent(secret)}&x=1`, { input: secret }, 'GET /?q=[...]&x=1'],
    ['a prompt in a form', `q=${new URLSearchParams({ q: secret })}`, { input: secret }, 'q=q=[...]'],
    [
      'a prompt in HTML',
      '<p>The launch code of project &quot;Z&#252;rich&quot; is 4711</p>',
      { input: secret },
      '<p>[...]</p>',
    ],
    ['IP addresses', 'from 203.0.113.9 and 2001:db8::7:1 at 12:30:05', {}, 'from [address] and [address] at 12:30:05'],
  ])('%s', (_what, message, body, kept) => expect(redactMessage(message, sent(body))).toBe(kept));

  test('text whose bytes are split between two pieces of the body', () => {
    const bytes = Buffer.from(JSON.stringify({ input: secret }));
    const at = bytes.indexOf('ü') + 1;
    expect(redactMessage(`x ${secret}`, [bytes.subarray(0, at), bytes.subarray(at)])).toBe('x [...]');
  });
});

describe('takes out what the provider escaped', () => {
  const ascii = (text: string) =>
    text.replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const prompt = 'Мой пароль от банка \u{1F511}\u{1F3E6} никому не говори';
  const json = ascii(JSON.stringify({ input: prompt }));
  test.each([
    ['once', `bad value ${ascii(prompt)}!`, 'bad value [...]!'],
    ['twice', `bad value ${ascii(prompt).replaceAll('\\', '\\\\')}!`, 'bad value [...]!'],
    ['as the client did', `bad value ${json.slice(10, -2)}!`, 'bad value [...]!'],
    ['in part', `bad value ${prompt.slice(0, 10)}${ascii(prompt.slice(10))}!`, 'bad value [...]!'],
  ])('%s', (_what, message, kept) => {
    expect(redactMessage(message, sent({ input: prompt }))).toBe(kept);
    expect(redactMessage(message, [Buffer.from(json)])).toBe(kept);
  });
});

test('keeps what does not stand in the request, and words that any text has', () => {
  const message = "Unsupported value: 'low' is not supported with this model.";
  expect(redactMessage(message, sent({ input: 'is it supported?', reasoning: { effort: 'low' } }))).toBe(message);
});

test('keeps ids of the provider and addresses of its documentation', () => {
  const message =
    "Response 'resp_0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f6071' not found, see https://platform.openai.com/docs/guides/error-codes/api-errors";
  expect(redactMessage(message, sent({}))).toBe(message);
});

test('keeps the name of the model, which the event has anyway', () => {
  const message = "The model 'gpt-5.1-codex-max-2026-11-01' does not exist";
  const body = sent({ model: 'gpt-5.1-codex-max-2026-11-01' });
  expect(redactMessage(message, body)).not.toBe(message);
  expect(redactMessage(message, body, ['gpt-5.1-codex-max-2026-11-01'])).toBe(message);
});

test('keeps nothing when the request is too large to compare', () =>
  expect(redactMessage('anything', [Buffer.alloc(MAX_COMPARED_BYTES), Buffer.alloc(1)])).toBeUndefined());

test('no run of 16 characters of a message stands in the request', () => {
  const letters = fc.constantFrom('a', 'b', '"', '\\', '\n', 'ü', '\u{1F600}');
  const text = fc.string({ unit: letters, maxLength: 60 });
  fc.assert(
    fc.property(text, text, text, (before, prompt, after) => {
      const body = JSON.stringify({ input: prompt });
      const kept = redactMessage(before + prompt.slice(3) + after, [Buffer.from(body)]) as string;
      for (const piece of kept.split('[...]')) {
        for (let at = 0; at + 16 <= piece.length; at++) {
          const run = piece.slice(at, at + 16);
          expect(body.includes(run) || prompt.includes(run), JSON.stringify(run)).toBe(false);
        }
      }
    }),
    runs(500),
  );
});

test('has a bounded cost for texts that are made to collide', () => {
  const body = sent({ input: 'a'.repeat(1_000_000) });
  expect(redactMessage('a'.repeat(100_000), body)).toBe('[...]');
});

describe('blocks the event loop only for a moment when a body of the largest size consists of', () => {
  test.each([
    ['plain text', 'lorem ipsum dolor '],
    ['escaped line breaks', '\\n'],
    ['escapes within escapes', '\\\\n'],
    ['code points in hexadecimal', '\\u0041'],
    ['backslashes', '\\\\'],
  ])('%s', (_what, text) => {
    const body = [Buffer.from(text.repeat(Math.floor(MAX_COMPARED_BYTES / text.length)))];
    const message = Array.from({ length: 200 }, (_, index) => `word ${index}`).join(' \n');
    const cpuMs = Array.from({ length: 3 }, () => {
      const before = process.cpuUsage();
      redactMessage(message, body);
      return process.cpuUsage(before).user / 1_000;
    });
    // It takes 10 to 20 ms; decoding with a regular expression took 100 to 250 ms per MiB.
    expect(Math.min(...cpuMs)).toBeLessThan(60);
  });
});

test('decodes escapes that are cut off, incomplete or in capitals', () => {
  const body = [Buffer.from('"\\u00E9t\\u00e9 of nineteen \\u12 and \\q\\')];
  expect(redactMessage('x \u00e9t\u00e9 of nineteen y', body)).toBe('x [...]y');
  expect(redactMessage('x: nineteen u12 and q: y', body)).toBe('x:[...]: y');
});
