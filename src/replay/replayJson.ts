import type { ReplayResult } from './replayLog.ts';

/** The result of a replay as scripts and the API have it. */
export const replayJson = ({
  requests,
  choices,
  admissions,
  refusals,
  countedOnly,
  imported,
  repeated,
  archived,
  differences,
}: ReplayResult) => ({
  requests,
  choices,
  admissions,
  refusals,
  counted_only: countedOnly,
  ...(imported !== undefined && { imported }),
  repeated,
  archived,
  differences: differences.map(({ requestId, position, decidedAt, decision, recorded, replayed }) => ({
    request_id: requestId,
    position,
    decided_at: decidedAt,
    decision,
    recorded,
    replayed,
  })),
});

export type ReplayJson = ReturnType<typeof replayJson>;
