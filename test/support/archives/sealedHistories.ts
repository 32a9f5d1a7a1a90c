import { readdirSync, readFileSync } from 'node:fs';

/** What each version of the fold has sealed of `test/histories/everyKind.ndjson` as it was then: `<version>.state`. */
export const SEALED_HISTORIES = new URL('../../histories/sealed/', import.meta.url);

/** The sealed states by the version of the fold that wrote them. */
export const sealedHistories = (): Map<number, Buffer> =>
  new Map(
    readdirSync(SEALED_HISTORIES)
      .map((name) => [Number.parseInt(name, 10), readFileSync(new URL(name, SEALED_HISTORIES))] as const)
      .toSorted(([left], [right]) => left - right),
  );
