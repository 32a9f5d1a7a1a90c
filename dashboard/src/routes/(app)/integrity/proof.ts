import type { Schemas } from '#lib/api/client.ts';
import { counted, exact } from '#lib/format/numbers.ts';

type Integrity = Schemas['Integrity'];
type Target = Integrity['publishing'][number];

/** What is proved at the moment, and by whom, as a heading and a sentence. */
export interface Proof {
  readonly tone: 'good' | 'warn' | 'bad';
  readonly title: string;
  readonly detail: string;
}

const isPublished = ({ size }: Target): boolean => size > 0;

export function proofOf({ tree_size: size, checkpoint, publishing, refusal, verification }: Integrity): Proof {
  if (verification && !verification.ok) {
    return {
      tone: 'bad',
      title: `The last verification found ${counted(verification.findings, 'change')} in the log`,
      detail: 'Run "svc verify" to see each, stop svc and restore the log from a backup.',
    };
  }
  if (refusal !== null) return { tone: 'warn', title: 'No checkpoints are signed', detail: refusal };
  if (!checkpoint) {
    return { tone: 'warn', title: 'Nothing is proved yet', detail: 'The first checkpoint is signed within a minute.' };
  }
  const behind = Math.max(0, size - checkpoint.size);
  const rest =
    behind === 0 ? 'Every event is covered.' : `${counted(behind, 'newer event')} will be covered by the next one.`;
  const published = publishing.filter(isPublished);
  if (published.length === 0) {
    return {
      tone: 'warn',
      title: `A checkpoint covers ${counted(checkpoint.size, 'event')}`,
      detail: `${rest} It is only on this machine: publish checkpoints to prove the log to others.`,
    };
  }
  const least = Math.min(...published.map((target) => target.size));
  return {
    tone: publishing.some(({ failure }) => failure !== null) ? 'warn' : 'good',
    title: `${counted(least, 'event')} are proved to others`,
    detail: `The newest checkpoint covers ${exact(checkpoint.size)}. ${rest}`,
  };
}

const KINDS: Readonly<Record<Target['kind'], string>> = { folder: 'Folder', http: 'HTTP endpoint', witness: 'Witness' };

export const targetKind = ({ kind }: Pick<Target, 'kind'>): string => KINDS[kind];
