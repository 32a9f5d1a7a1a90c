import { isOpenVersion, upcast } from '../../domain/eventTypes.ts';
import { findUnknownFields } from '../storedJson/unknownField.ts';

/** A field that the schema of an older event does not have. Such fields are kept and have no effect. */
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

/**
 * Finds surplus fields in events of versions that keep them (`isOpenVersion`), each once. In other versions a reader refuses
 * them (docs/decisions/0009-unknown-event-types-stop-a-node.md).
 */
export class SurplusFields {
  readonly #after: number;
  readonly #found = new Set<string>();
  #untaken: SurplusField[] = [];

  /** @param after events up to this position are not looked at */
  constructor(after: number) {
    this.#after = after;
  }

  /** Looks at an event. @param data JSON */
  add({ position, type, version, data }: { position: number; type: string; version: number; data: string }): void {
    if (position <= this.#after || !isOpenVersion(type, version) || this.#found.size >= MAX_FOUND) return;
    for (const path of unknownFieldsIn(type, version, data)) {
      const field = plainText(path);
      const name = `${type}.${field}`;
      if (this.#found.has(name)) continue;
      this.#found.add(name);
      this.#untaken.push({ type, version, field, position });
    }
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

const plainText = (path: string): string =>
  path
    .replace(/\.\d+(?=\.|$)/g, '')
    .replace(/[^\w.-]/g, '?')
    .slice(0, MAX_CHARACTERS);
