import { hash as digest } from 'node:crypto';
import { HASH_LENGTH, hashOfNames } from '../eventLog/hashChain.ts';

/** The SHA-256 that an event is proved by, 64 hex digits each. */
export interface DigestsOfEvent {
  /** Of its chain: what the metadata must name as its own hash. */
  readonly chain: string;
  /** Of the stored texts. */
  readonly data: string;
  readonly metadata: string;
}

/** Larger events are hashed as texts. */
const CAPACITY = 262_144;
/** Of a UTF-16 unit in UTF-8. */
const MAX_BYTES = 3;
const BRACE = 0x7d;
/** Braces and keys around names, numbers, data and metadata. */
const FRAME = 256;
const BETWEEN = ',"metadata":';
const VIEWS = 4_096;
/** Of a text in one piece, it costs a third of `Buffer.write`. */
const ENCODER = new TextEncoder();

const sha256 = (input: string | Uint8Array): string => digest('sha256', input, 'hex');

/** Computes the digests of events, each from one copy of its bytes: as texts, most of them would be joined and encoded twice. */
export class EventDigests {
  readonly #bytes = Buffer.allocUnsafeSlow(CAPACITY);
  /** Most events have the sizes of others: making a view costs more than finding one. */
  readonly #views: (Uint8Array | undefined)[] = new Array(VIEWS);

  /**
   * @param stream, id and type as JSON
   * @param data as stored, like the metadata
   */
  of(
    stream: string,
    revision: number,
    id: string,
    type: string,
    time: number,
    data: string,
    metadata: string,
  ): DigestsOfEvent {
    const names = stream.length + id.length + type.length;
    if ((names + data.length + metadata.length) * MAX_BYTES + FRAME > CAPACITY) {
      const chain = hashOfNames(stream, revision, id, type, time, data, metadata);
      return { chain, data: sha256(data), metadata: sha256(metadata) };
    }
    const bytes = this.#bytes;
    const open = `{"stream":${stream},"revision":${revision},"id":${id},"type":${type},"time":${time},"data":`;
    const dataAt = this.#write(open, 0);
    const dataEnd = this.#write(data, dataAt);
    const metadataAt = this.#write(BETWEEN, dataEnd);
    const end = this.#write(metadata, metadataAt);
    const ofData = sha256(this.#view(dataAt, dataEnd));
    const ofMetadata = sha256(this.#view(metadataAt, end));
    // What the chain leaves out is counted in characters.
    if (end - metadataAt !== metadata.length && Buffer.byteLength(metadata.slice(-HASH_LENGTH)) !== HASH_LENGTH) {
      const chain = hashOfNames(stream, revision, id, type, time, data, metadata);
      return { chain, data: ofData, metadata: ofMetadata };
    }
    const chainEnd = Math.max(metadataAt, end - HASH_LENGTH);
    bytes[chainEnd] = BRACE;
    bytes[chainEnd + 1] = BRACE;
    return { chain: sha256(this.#view(0, chainEnd + 2)), data: ofData, metadata: ofMetadata };
  }

  /** @returns where the text ends */
  #write(text: string, at: number): number {
    return at + ENCODER.encodeInto(text, this.#view(at, CAPACITY)).written;
  }

  #view(from: number, to: number): Uint8Array {
    const length = to - from;
    const slot = (from * 31 + length) % VIEWS;
    const known = this.#views[slot];
    if (known?.byteOffset === from && known.length === length) return known;
    const view = new Uint8Array(this.#bytes.buffer, from, length);
    this.#views[slot] = view;
    return view;
  }
}
