import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { KEY_CHANGE_HEADER } from '../keys/keyChange.ts';
import { type Checkpoint, parseCheckpoint } from '../notes/checkpoint.ts';
import { parseNote } from '../notes/signedNote.ts';

/** A published note, whose signatures are not verified. */
export interface PublishedNote {
  /** The file, and with several notes in it the number of the note: `notes.txt#2`. */
  readonly source: string;
  readonly note: string;
}

export interface PublishedCheckpoint extends PublishedNote, Checkpoint {}

/** What was published of one or more logs. */
export interface Published {
  readonly checkpoints: readonly PublishedCheckpoint[];
  readonly keyChanges: readonly PublishedNote[];
  /** What should be a note and is none. */
  readonly unreadable: readonly { readonly source: string; readonly reason: string }[];
}

const NAMES = /\.(checkpoint|keychange)$/;
const MAX_BYTES = 512 * 1_048_576;

/**
 * Reads published notes from a folder with everything below it, or from a file with one or more notes. The kind of a file is decided by
 * its content; another file that is no note is skipped, unless its name says that it is one.
 * @throws the error of the file system
 */
export function readPublished(path: string): Published {
  const isFolder = statSync(path).isDirectory();
  const sources = isFolder ? filesBelow(path) : [path];
  return collectNotes(
    sources.map((source) => ({ source, text: statSync(source).size > MAX_BYTES ? '' : readFileSync(source, 'utf8') })),
    (source) => !isFolder || NAMES.test(source),
  );
}

/** @param isNote whether a source that has no note is reported */
export function collectNotes(
  files: readonly { readonly source: string; readonly text: string }[],
  isNote: (source: string) => boolean = () => true,
): Published {
  const checkpoints: PublishedCheckpoint[] = [];
  const keyChanges: PublishedNote[] = [];
  const unreadable: { source: string; reason: string }[] = [];
  for (const { source: file, text } of files) {
    const notes = splitNotes(text);
    for (const [at, note] of notes.entries()) {
      const source = notes.length === 1 ? file : `${file}#${at + 1}`;
      try {
        const parsed = parseNote(note);
        if (parsed.text.startsWith(`${KEY_CHANGE_HEADER}\n`)) keyChanges.push({ source, note });
        else checkpoints.push({ ...parseCheckpoint(parsed.text), source, note });
      } catch (error) {
        if (isNote(file)) unreadable.push({ source, reason: (error as Error).message });
      }
    }
  }
  return { checkpoints, keyChanges, unreadable };
}

/** Notes that stand one after the other: signature lines end each. */
function splitNotes(text: string): string[] {
  return text.split(/(?<=\n\u2014 [^\n]*\n)(?!\u2014 )/u).filter((note, at) => note !== '' || at === 0);
}

/** Drafts of notes that are being published begin with a dot. */
function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('.'))
    .sort((left, right) => (left.name < right.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? filesBelow(path) : entry.isFile() ? [path] : [];
    });
}
