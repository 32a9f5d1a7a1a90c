import { expect, test } from 'vitest';
import { cleanClientText, clientNameOf } from './clientName.ts';

test.each([
  ['codex_exec/0.169.0 (Debian 12.0.0; x86_64) dumb (codex_exec; 0.169.0)', 'codex_exec', '0.169.0'],
  ['OpenAI/JS 7.57.0', 'OpenAI/JS', '7.57.0'],
  ['ai-sdk/openai/4.0.118 runtime/node.js/24', 'ai-sdk/openai', '4.0.118'],
  ['opencode/1.18.33 ai-sdk/provider-utils/4', 'opencode', '1.18.33'],
  ['curl/8.5.0', 'curl', '8.5.0'],
  ['python-requests/v2.31', 'python-requests', '2.31'],
  ['my agent', 'my', undefined],
  ['', undefined, undefined],
  [undefined, undefined, undefined],
  [' \u0000\n', undefined, undefined],
])('reads the client in %j', (userAgent, name, version) => {
  expect(clientNameOf(userAgent)).toEqual({ name, version });
});

test('cleans and cuts what clients choose', () => {
  expect(clientNameOf(`${'a'.repeat(500)}/1.2`).name).toBe('a'.repeat(64));
  expect(clientNameOf('na"me\\\u0007/1.2')).toEqual({ name: 'na me', version: '1.2' });
  expect(cleanClientText(`x${' '.repeat(100)}y`)).toBe('x y');
  expect(cleanClientText('😀')).toBeUndefined();
});
