/** An event as it is stored, in the order of the columns of `events`; data and metadata are JSON. */
export type ScannedEvent = [
  position: number,
  stream: string,
  revision: number,
  id: string,
  type: string,
  version: number,
  time: number,
  data: string,
  metadata: string,
];

export const SCANNED_COLUMNS = 'position, stream, revision, id, type, version, time, data, metadata';
