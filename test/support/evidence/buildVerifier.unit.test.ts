import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { buildVerifier, builtPage } from './buildVerifier.ts';

test('verify.html is what its sources build: run "npm run build:verifier"', async () => {
  const built = await buildVerifier();
  expect(readFileSync(builtPage, 'utf8') === built, 'run "npm run build:verifier"').toBe(true);
  // Nothing is loaded from elsewhere, and no text becomes markup.
  expect(built).not.toMatch(/\b(?:innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval)\b|<link|src=/);
  expect(built.match(/<script/g)).toHaveLength(1);
});
