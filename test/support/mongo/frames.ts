import { BSON } from 'mongodb';

/** A message of MongoDB's wire protocol. */
export interface Frame {
  readonly bytes: Buffer;
  /** The command or the reply, without the documents of a bulk that may follow in further sections. */
  document(): BSON.Document;
}

// Offset of the first document, by opcode: https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/
const OP_REPLY = 1;
const OP_QUERY = 2004;
const OP_MSG = 2013;
const HEADER = 16;

function documentAt(bytes: Buffer): number {
  switch (bytes.readInt32LE(12)) {
    case OP_REPLY:
      return HEADER + 20;
    case OP_QUERY:
      return bytes.indexOf(0, HEADER + 4) + 1 + 8;
    case OP_MSG:
      return HEADER + 5;
    default:
      throw new Error(`opcode ${bytes.readInt32LE(12)}`);
  }
}

/** Parses the chunks of a connection, and calls `take` with each complete message. */
export function frames(take: (frame: Frame) => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const length = rest.length < 4 ? Number.POSITIVE_INFINITY : rest.readInt32LE(0);
      if (rest.length < length) return;
      const bytes = rest.subarray(0, length);
      rest = rest.subarray(length);
      take({ bytes, document: () => BSON.deserialize(bytes.subarray(documentAt(bytes)), MORE_MAY_FOLLOW) });
    }
  };
}

const MORE_MAY_FOLLOW = { allowObjectSmallerThanBufferSize: true };

/** The same reply with another document. */
export function replyWith({ bytes }: Frame, document: BSON.Document): Buffer {
  const reply = Buffer.concat([bytes.subarray(0, documentAt(bytes)), BSON.serialize(document)]);
  reply.writeInt32LE(reply.length, 0);
  return reply;
}
