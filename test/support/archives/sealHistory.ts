import { mkdirSync, writeFileSync } from 'node:fs';
import { FOLD_VERSION } from '../../../src/state/snapshots/foldVersion.ts';
import { encodeSealedState } from '../../../src/state/snapshots/sealedFold.ts';
import { everyKind, foldHistory } from '../everyKind.ts';
import { SEALED_HISTORIES } from './sealedHistories.ts';

// Writes what this version of the fold seals of `everyKind.ndjson` to `test/histories/sealed/<version>.state`, once: a file that
// is there is never written again, because it is what archives of that version have. Run it after you raise FOLD_VERSION.

mkdirSync(SEALED_HISTORIES, { recursive: true });
const file = new URL(`${FOLD_VERSION}.state`, SEALED_HISTORIES);
writeFileSync(file, encodeSealedState(foldHistory(everyKind)), { flag: 'wx' });
process.stdout.write(`Wrote test/histories/sealed/${FOLD_VERSION}.state.\n`);
