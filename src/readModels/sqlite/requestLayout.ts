import type { RequestLogRow } from '../../../projections/requestLog.ts';

/**
 * Positions whose conversations are neighbours in their index. Digests have no order, so an index over all of them would change a
 * page for each request; this one changes some 40, and a lookup reads one place for each 16,384 requests.
 */
const STRETCH_BITS = 14;
const stretchOf = (at: string) => `(${at} >> ${STRETCH_BITS})`;

/** SQL for the positions of the requests with one of the conversations in the JSON array that is its parameter. */
export const POSITIONS_OF_CONVERSATIONS = `
  WITH RECURSIVE stretches (number) AS (
    SELECT ${stretchOf('min(position)')} FROM requests
    UNION ALL SELECT number + 1 FROM stretches WHERE number < (SELECT ${stretchOf('max(position)')} FROM requests)
  )
  SELECT position FROM stretches CROSS JOIN json_each(?) AS wanted CROSS JOIN requests INDEXED BY requestsByConversation
    ON ${stretchOf('position')} = number AND conversation = wanted.value`;

/** The indexes contain times and kinds, so that counting and skipping read no rows. */
export const REQUEST_LAYOUT = `
  CREATE TABLE IF NOT EXISTS requests (
    position INTEGER PRIMARY KEY,
    requestId TEXT NOT NULL,
    requestedAt INTEGER NOT NULL,
    kindId INTEGER NOT NULL,
    sourceId INTEGER NOT NULL,
    clientId INTEGER,
    conversation TEXT,
    route TEXT NOT NULL,
    failed INTEGER NOT NULL,
    messageId INTEGER,
    inputTokens INTEGER,
    outputTokens INTEGER,
    cachedInputTokens INTEGER,
    reasoningTokens INTEGER,
    costMicroDollars INTEGER,
    latencyMs INTEGER NOT NULL,
    firstByteMs INTEGER,
    attempts INTEGER NOT NULL,
    modelBeyond TEXT,
    effortBeyond TEXT
  ) STRICT;
  CREATE TABLE IF NOT EXISTS otherAttempts (
    position INTEGER,
    ordinal INTEGER,
    accountId TEXT NOT NULL,
    requestedAt INTEGER NOT NULL,
    kindId INTEGER NOT NULL,
    PRIMARY KEY (position, ordinal)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS otherAttemptsByAccount ON otherAttempts (accountId, requestedAt, position, kindId, ordinal);
  CREATE INDEX IF NOT EXISTS otherAttemptsByTime ON otherAttempts (requestedAt, accountId, kindId);
  CREATE TABLE IF NOT EXISTS otherConversations (
    position INTEGER,
    ordinal INTEGER,
    conversation TEXT NOT NULL,
    PRIMARY KEY (position, ordinal)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS otherConversationsById ON otherConversations (conversation, position);
  CREATE INDEX IF NOT EXISTS requestsByTime ON requests (requestedAt, position, kindId, sourceId, clientId);
  CREATE INDEX IF NOT EXISTS failedRequestsByTime ON requests (requestedAt, position, kindId, sourceId, clientId)
    WHERE failed = 1;
  CREATE INDEX IF NOT EXISTS requestsOfSource ON requests (sourceId, requestedAt, position, kindId, clientId);
  CREATE INDEX IF NOT EXISTS requestsByConversation ON requests (${stretchOf('position')}, conversation)
    WHERE conversation IS NOT NULL;
  CREATE INDEX IF NOT EXISTS requestsByModelBeyond ON requests (modelBeyond) WHERE modelBeyond IS NOT NULL;
  CREATE INDEX IF NOT EXISTS requestsByEffortBeyond ON requests (effortBeyond) WHERE effortBeyond IS NOT NULL;
  CREATE INDEX IF NOT EXISTS requestsByMessage ON requests (messageId, requestedAt, kindId) WHERE messageId IS NOT NULL;
  CREATE TABLE IF NOT EXISTS messages (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT;
  CREATE VIRTUAL TABLE IF NOT EXISTS messageTexts USING fts5(text, tokenize = 'trigram', content = '', columnsize = 0);
  CREATE TABLE IF NOT EXISTS refusals (
    minute INTEGER,
    sourceId INTEGER,
    position INTEGER,
    unlogged INTEGER NOT NULL,
    PRIMARY KEY (minute, sourceId, position)
  ) STRICT, WITHOUT ROWID;
`;

/**
 * Where each field of a row is stored: in a column of its own, in the table that an id refers to, or in rows of another table. A name
 * that its kind does not have (see `KindNames`) is in `modelBeyond` or `effortBeyond`.
 */
const STORAGE = {
  position: 'column',
  requestId: 'column',
  requestedAt: 'column',
  route: 'column',
  inputTokens: 'column',
  outputTokens: 'column',
  cachedInputTokens: 'column',
  reasoningTokens: 'column',
  costMicroDollars: 'column',
  latencyMs: 'column',
  firstByteMs: 'column',
  attempts: 'column',
  accountId: 'kindId',
  model: 'kindId',
  effort: 'kindId',
  status: 'kindId',
  apiKeyId: 'sourceId',
  errorCode: 'sourceId',
  errorMessage: 'messageId',
  otherAccountIds: 'otherAttempts',
  owner: 'sourceId',
  team: 'sourceId',
  transport: 'sourceId',
  client: 'clientId',
  clientVersion: 'clientId',
  originator: 'clientId',
  sealedOrigin: 'clientId',
  addressDigest: 'clientId',
  conversations: 'otherConversations',
} satisfies Record<
  keyof RequestLogRow,
  'column' | 'kindId' | 'sourceId' | 'clientId' | 'messageId' | 'otherAttempts' | 'otherConversations'
>;
const COLUMNS = Object.entries(STORAGE).flatMap(([name, place]) => (place === 'column' ? [name] : []));

/** Rows at the positions in the JSON array that is its parameter. */
export const SELECT_REQUESTS = `
  SELECT ${COLUMNS.join(', ')}, modelBeyond, effortBeyond, kindId, sourceId, clientId, conversation, text AS errorMessage,
    (SELECT json_group_array(accountId ORDER BY ordinal) FROM otherAttempts AS tried WHERE tried.position = requests.position)
      AS otherAccountIds,
    (SELECT json_group_array(conversation ORDER BY ordinal) FROM otherConversations AS named
      WHERE named.position = requests.position) AS otherConversations
  FROM requests LEFT JOIN messages ON messages.id = messageId
  WHERE position IN (SELECT value FROM json_each(?))`;

/** Whether any row has a model or an effort of these two JSON arrays that is not the one of its kind. */
export const SELECT_BEYOND = `
  SELECT 1 WHERE EXISTS (SELECT 1 FROM json_each(?) CROSS JOIN requests INDEXED BY requestsByModelBeyond ON modelBeyond = value)
    OR EXISTS (SELECT 1 FROM json_each(?) CROSS JOIN requests INDEXED BY requestsByEffortBeyond ON effortBeyond = value)`;
