import { isOpenVersion, upcast } from '../../domain/eventTypes.ts';
import { findUnknownFields } from '../storedJson/unknownField.ts';
import { unknownInMetadata } from './surplusMetadata.ts';

/**
 * A field that the schema of an older event does not have, or that is unknown in the metadata of any event. Such fields are kept
 * and have no effect.
 */
export interface SurplusField {
  readonly type: string;
  readonly version: number;
  /** Its path without the places in lists, for example `attempts.note`. */
  readonly field: string;
  /** Of the first event that has it. */
  readonly position: number;
}

/** Of a path, whose names may be anything. */
const MAX_CHARACTERS = 80;
/** Types and fields that are found at most, so that a log full of names that differ costs little. */
const MAX_FOUND = 1_000;

/** An event as the log stores it; data and metadata are JSON. */
interface StoredTexts {
  readonly position: number;
  readonly type: string;
  readonly version: number;
  readonly data: string;
  readonly metadata: string;
}

/**
 * Finds surplus fields in events of versions that keep them (`isOpenVersion`), each once, and unknown fields in metadata, each once
 * whatever the type. In other versions a reader refuses them (docs/decisions/0009-unknown-event-types-stop-a-node.md).
 */
export class SurplusFields {
  readonly #after: number;
  readonly #found = new Set<string>();
  #untaken: SurplusField[] = [];

  /** @param after events up to this position are not looked at */
  constructor(after: number) {
    this.#after = after;
  }

  /** Looks at an event. */
  add({ position, type, version, data, metadata }: StoredTexts): void {
    if (position <= this.#after) return;
    const inData = isOpenVersion(type, version) ? unknownFieldsIn(type, version, data) : [];
    for (const path of inData) this.#note(`${type}.${plainText(path)}`, { type, version, field: path, position });
    for (const path of metadataFieldsIn(metadata))
      this.#note(plainText(path), { type, version, field: path, position });
  }

  #note(name: string, surplus: SurplusField): void {
    if (this.#found.has(name) || this.#found.size >= MAX_FOUND) return;
    this.#found.add(name);
    this.#untaken.push({ ...surplus, field: plainText(surplus.field) });
  }

  /** @returns what was found since the last call */
  take(): SurplusField[] {
    const found = this.#untaken;
    if (found.length > 0) this.#untaken = [];
    return found;
  }
}

function unknownFieldsIn(type: string, version: number, data: string): readonly string[] {
  try {
    return findUnknownFields(type, upcast(type, version, JSON.parse(data)));
  } catch {
    // The reader that folds the event says what is wrong with it.
    return [];
  }
}

function metadataFieldsIn(metadata: string): readonly string[] {
  try {
    return unknownInMetadata(metadata);
  } catch {
    return [];
  }
}

const plainText = (path: string): string =>
  path
    .replace(/\.\d+(?=\.|$)/g, '')
    .replace(/[^\w.-]/g, '?')
    .slice(0, MAX_CHARACTERS);
