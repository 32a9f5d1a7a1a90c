import { readFileSync } from 'node:fs';
import { parseVkey } from '../../integrity/notes/noteKeys.ts';
import { fingerprintOf } from '../check/checkSignatures.ts';
import { describeArchived, type MadeBundle } from './makeBundle.ts';

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  readonly version: string;
};

/** What the manifest of a bundle says that has made it. */
export const madeBy = `svc ${version}`;

/** Sentences for who has asked for a bundle: what is in it, and what an auditor compares it with. */
export function describeMade(made: MadeBundle): string[] {
  const { path, events, firstPosition, lastPosition, treeSize, vkey, uncovered, archived, verifier } = made;
  const positions = events === 1 ? `position ${firstPosition}` : `positions ${firstPosition} to ${lastPosition}`;
  return [
    `${events === 1 ? '1 event' : `${events} events`} (${positions}) ${events === 1 ? 'is' : 'are'} in ${path}, proved against the checkpoint of ${treeSize} events.`,
    ...(uncovered > 0
      ? [
          `${uncovered} later events are not in it, because no checkpoint covers them yet: one is signed within a minute.`,
        ]
      : []),
    ...(archived.length > 0 ? [describeArchived(archived)] : []),
    `Key of the log: ${vkey} (${fingerprintOf(parseVkey(vkey))})`,
    `SHA-256 of verify.html in it: ${verifier}`,
  ];
}
