import { randomInt } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { CannotUseDataFolder } from './cannotUseDataFolder.ts';
import { remedyForOwnFile } from './fileErrors.ts';

/** The node id cannot be part of a stream name. */
export class InvalidNodeId extends Error {
  override readonly name = 'InvalidNodeId';
  readonly code = 'INVALID_NODE_ID';
}

/** In a data folder: the name of its node, which operators may read and copy. */
const NODE_ID_FILE = 'node-id';
/** The same with a checksum: half a name is a valid name. */
const NODE_MARK_FILE = 'node.mark';

/** `.` and `_` separate the parts of a stream's name; the first `-` ends its category. */
const NODE_ID = /^[a-z0-9][a-z0-9-]{0,62}$/;

/**
 * Returns the id of the node that a data folder belongs to, and stores it at the first start.
 * @param folder its path
 * @param configured replaces the stored id; a random one is stored when there is none
 * @returns `formerNode`: the stored id that `configured` replaced
 * @throws CannotUseDataFolder | InvalidNodeId
 */
export function readOrStoreNodeId(
  folder: string,
  configured: string | undefined,
): { readonly node: string; readonly formerNode?: string } {
  const [path, markPath] = [join(folder, NODE_ID_FILE), join(folder, NODE_MARK_FILE)];
  const [stored, marked] = [readIfThere(path)?.trim(), markedNode(readIfThere(markPath))];
  if (configured === undefined && stored !== undefined && marked !== undefined && stored !== marked) {
    throw new CannotUseDataFolder(
      `${path} says "${stored.slice(0, 63)}", but this folder belongs to the node ${marked} (${NODE_MARK_FILE}). ` +
        `Delete ${NODE_ID_FILE}, and svc writes it again; to give the node another name, set SVC_NODE_ID.`,
    );
  }
  const former = marked ?? stored;
  const node = configured ?? former ?? randomText(8);
  if (!NODE_ID.test(node)) {
    throw new InvalidNodeId(
      `"${node}" cannot be a node id (SVC_NODE_ID or ${path}): use 1 to 63 characters of a-z, 0-9 and -`,
    );
  }
  if (node !== marked) writeMark(markPath, node);
  if (node !== stored) writeAtomically(path, `${node}\n`);
  return former !== undefined && former !== node && NODE_ID.test(former) ? { node, formerNode: former } : { node };
}

/**
 * Writes the files with the node's name again where they were deleted or changed while svc runs: without both, the next start would
 * take another name.
 * @returns the paths of those that were written
 * @throws CannotUseDataFolder
 */
export function keepNodeFiles(folder: string, node: string): string[] {
  const [path, markPath] = [join(folder, NODE_ID_FILE), join(folder, NODE_MARK_FILE)];
  const written: string[] = [];
  if (markedNode(readIfThere(markPath)) !== node) written.push(writeMark(markPath, node));
  if (readIfThere(path)?.trim() !== node) written.push(writeAtomically(path, `${node}\n`));
  return written;
}

const writeMark = (path: string, node: string): string => writeAtomically(path, `${node} ${checksum(node)}\n`);

/** Base-36 digits. */
export const randomText = (length: number): string => Array.from({ length }, () => randomInt(36).toString(36)).join('');

/** @returns undefined for a mark that is missing or damaged */
function markedNode(text: string | undefined): string | undefined {
  const [node = '', sum] = text?.trimEnd().split(' ') ?? [];
  return sum === checksum(node) ? node : undefined;
}

const checksum = (node: string): string => crc32(node).toString(16).padStart(8, '0');

function readIfThere(path: string): string | undefined {
  try {
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  } catch (error) {
    throw unusable(path, 'read', error);
  }
}

/** Syncs a draft and renames it into place, so that a power cut leaves either the old file or the new one. */
function writeAtomically(path: string, text: string): string {
  try {
    const draft = openSync(`${path}.new`, 'w', 0o600);
    try {
      writeSync(draft, text);
      fsyncSync(draft);
    } finally {
      closeSync(draft);
    }
    renameSync(`${path}.new`, path);
    return path;
  } catch (error) {
    throw unusable(path, 'written', error);
  }
}

const unusable = (path: string, done: 'read' | 'written', error: unknown): CannotUseDataFolder =>
  new CannotUseDataFolder(
    `${path}, which has the name of this node, cannot be ${done}: ${(error as Error).message}. ` +
      remedyForOwnFile(error, 'Give it to the user that runs svc.'),
    { cause: error },
  );
