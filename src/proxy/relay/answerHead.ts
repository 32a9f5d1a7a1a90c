import type { LimitHeaders } from '../usage/limitHeaders.ts';

/** What stands in the head of the answer to one request, whichever way it ends. */
export interface AnswerHead {
  readonly requestId: string;
  readonly limits: Pick<LimitHeaders, 'current'>;
}

/** The headers of a stream, names and values in turn. @param length in bytes, when all of it is known */
export function headOfStream({ requestId, limits }: AnswerHead, length?: number): string[] {
  const head = [
    'content-type',
    'text/event-stream; charset=utf-8',
    'cache-control',
    'no-cache',
    'x-accel-buffering',
    'no',
    'x-request-id',
    requestId,
    ...limits.current,
  ];
  if (length !== undefined) head.push('content-length', String(length));
  return head;
}

/** The headers of a JSON body, names and values in turn. */
export const headOfJson = ({ requestId, limits }: AnswerHead, length: number): string[] => [
  'content-type',
  'application/json; charset=utf-8',
  'content-length',
  String(length),
  'cache-control',
  'no-store',
  'x-request-id',
  requestId,
  ...limits.current,
];
