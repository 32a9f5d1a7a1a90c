/** An event as it is stored, in the order of `EVENT_COLUMNS`; data and metadata are JSON. Arrays are read faster than objects. */
export type EventTuple = [
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

/** The columns of `events`, for statements that return arrays. */
export const EVENT_COLUMNS = 'position, stream, revision, id, type, version, time, data, metadata';
