import { basename } from 'node:path';
import { remedyWhileRunning } from '../../dataFolder/fileErrors.ts';
import { MarkFile, readMarkFile } from '../../dataFolder/markFile.ts';
import { damageIn } from '../../dataFolder/openDatabase.ts';
import type { Faults } from '../../lib/faults.ts';
import type { NoteRecord } from './noteRecord.ts';
import type { NoteStore } from './noteStore.ts';

/** The last note that was signed here, outside the file of the notes. */
export type NoteMark = Pick<NoteRecord, 'seq' | 'origin' | 'size' | 'root'>;

export interface KeepNotesOptions {
  readonly store: NoteStore;
  /** `checkpoints.sqlite`. */
  readonly path: string;
  /** `checkpoints.mark`. */
  readonly markPath: string;
  /** Whether missing notes come back from EventStoreDB. */
  readonly isShared: boolean;
  readonly faults: Pick<Faults, 'raise' | 'clear'>;
}

/** Looks after the file of the notes while svc runs. */
export interface KeptNotes {
  /** The last note that an earlier process has signed, also if the file lacks it. */
  readonly known: NoteMark | undefined;
  /** Called when the file has other notes. */
  note(): void;
  /** Looks at the file: a missing one is written again. Takes a few system calls while it is in place. */
  check(): Promise<void>;
  close(): void;
}

const HARMED = 'checkpoints_file_harmed';
const LACKING = 'checkpoints_missing';
/** How long the status shows that the file was written again. */
const SHOWN_MS = 600_000;

/**
 * Sees to it that no signed note is lost in silence: a file that was deleted, moved or replaced is written again from the open one, a
 * cut one takes no notes until it is replaced, and a mark beside it says how far it reached
 * (docs/decisions/0120-notes-lost-while-running.md).
 * @throws CannotUseMarkFile
 */
export function keepNotes({ store, path, markPath, isShared, faults }: KeepNotesOptions): KeptNotes {
  const content = readMarkFile<NoteMark>(markPath);
  const known = content.kind === 'mark' ? content.mark : undefined;
  const mark = new MarkFile<NoteMark>(markPath);
  let written = known;
  /** What the mark has and the file lacks. */
  let missing: NoteMark | undefined;
  /** Whether the file that is at the path is named as unusable. */
  let isNamed = false;
  let checking: Promise<void> | undefined;

  function compare(expected: NoteMark | undefined): void {
    if (expected === undefined || hasNote(expected)) return;
    missing = expected;
    faults.raise({ code: LACKING, ...lacking(path, expected, store.last(), isShared) });
  }

  function hasNote({ seq, origin, size, root }: NoteMark): boolean {
    const [found] = store.after(seq - 1, 1);
    return found?.seq === seq && found.origin === origin && found.size === size && found.root === root;
  }

  function note(): void {
    const last = store.last();
    if (last && (last.seq !== written?.seq || last.root !== written.root)) {
      const { seq, origin, size, root } = last;
      written = { seq, origin, size, root };
      mark.note(written);
    }
    if (missing === undefined || !hasNote(missing)) return;
    missing = undefined;
    faults.clear(LACKING, undefined, `${path} has all checkpoints again.`);
  }

  async function check(): Promise<void> {
    const state = store.state();
    if (state === 'cut' && !isNamed) faults.raise({ code: HARMED, ...cutFile(path) });
    isNamed = state === 'cut';
    try {
      if (state === 'missing') {
        const isReplaced = await store.rewrite();
        faults.raise({ code: HARMED, ...rewrittenFile(path, isReplaced) }, { level: 'warn', overAfterMs: SHOWN_MS });
      }
      if (state === 'replaced') {
        store.reopen();
        faults.clear(HARMED, undefined, `${path} was replaced: checkpoints are signed again.`);
        compare(written);
      }
    } catch (error) {
      isNamed = true;
      faults.raise({ code: HARMED, ...unusableFile(path, error as Error) });
    }
  }

  compare(known);
  note();
  return {
    known,
    note,
    check() {
      checking ??= check().finally(() => {
        checking = undefined;
      });
      return checking;
    },
    close: () => mark.close(),
  };
}

const lacking = (path: string, { seq, size }: NoteMark, last: NoteRecord | undefined, isShared: boolean) => ({
  cause:
    `${path} lacks checkpoints that were signed here: the last one was number ${seq}, of size ${size}, but the file ` +
    `${last ? `ends with number ${last.seq}` : 'has none'}. It was deleted, cut or replaced.`,
  remedy: isShared
    ? 'You need not do anything: they are copied again from EventStoreDB.'
    : 'Stop svc and put the file back from a backup, if there is one. Otherwise you need not do anything: the next checkpoint covers all events, and earlier ones are where they were published.',
});

const rewrittenFile = (path: string, isReplaced: boolean) => ({
  cause:
    `${path} was ${isReplaced ? 'replaced' : 'deleted or moved'} while svc runs. svc has written it again with all checkpoints` +
    `${isReplaced ? `; the file that was in its place is now ${basename(path)}.replaced` : ''}.`,
  remedy: 'You need not do anything.',
});

const cutFile = (path: string) => ({
  cause: `${path} was cut while svc runs, so checkpoints that were signed are lost. None is signed.`,
  remedy: `Replace the file by a copy from a backup, or delete it: svc goes on at once. Earlier checkpoints are where they were published.`,
});

const unusableFile = (path: string, error: Error) => {
  const damage = damageIn(error);
  return {
    cause:
      damage?.cause ??
      `${path} was deleted, moved or replaced while svc runs, and cannot be opened or written again: ${error.message}.`,
    remedy: damage
      ? 'Replace the file by a copy from a backup, or delete it: svc goes on at once.'
      : remedyWhileRunning(error, 'svc tries again every second.'),
  };
};
