import { expect, test } from 'vitest';
import { snippets } from './snippets.ts';

const ORIGIN = 'https://svc.example.com';
const options = { origin: ORIGIN, model: 'gpt-5.5', needsKey: true };

test('every snippet contains the origin and the model', () => {
  for (const { code } of snippets(options)) {
    expect(code).toContain(ORIGIN);
    expect(code).toContain('gpt-5.5');
  }
});

test('the opencode snippet is valid JSON', () => {
  const opencode = snippets(options).find(({ title }) => title === 'opencode.json');
  expect(JSON.parse(opencode?.code ?? '')).toMatchObject({ model: 'svc/gpt-5.5' });
});

test('Codex and curl read the key only when one is required', () => {
  const codeFor = (client: string, needsKey: boolean) =>
    snippets({ ...options, needsKey }).find((snippet) => snippet.client === client)?.code;
  for (const client of ['Codex CLI', 'curl']) {
    expect(codeFor(client, true)).toContain('SVC_API_KEY');
    expect(codeFor(client, false)).not.toContain('SVC_API_KEY');
  }
});
