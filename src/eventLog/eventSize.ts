/** What a store counts of an event besides data and metadata: its type, its id and the names of the fields around them. */
const OVERHEAD_BYTES = 128;

/** The size of an event in an append: servers from 24.10.4 on count metadata and type as well as data. */
export const sizeOfText = (data: string, metadata: string): number =>
  Buffer.byteLength(data) + Buffer.byteLength(metadata) + OVERHEAD_BYTES;
