import { expect } from 'vitest';
import type { FindingKind, Verification } from '../../../src/verification/finding.ts';

/** Expects one of the kinds first. An empty list: only a published checkpoint tells the forgery. */
export function expectKinds({ findings, ok }: Verification, kinds: readonly FindingKind[], name: string): void {
  const found = findings.map(({ kind }) => kind);
  expect(ok, name).toBe(found.length === 0);
  if (kinds.length === 0) expect(findings, `${name}: needs a published checkpoint`).toEqual([]);
  else expect(kinds, `${name}: ${JSON.stringify(findings)}`).toContain(found[0]);
}
