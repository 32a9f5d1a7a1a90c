interface SubjectFields {
  readonly keyId?: string | null;
  readonly accountId?: string | null;
  readonly requestId?: string | null;
  /** Of a completed request. */
  readonly attempts?: readonly { readonly accountId: string }[];
  /** Of `AccountsCooled`. */
  readonly requests?: readonly {
    readonly requestId: string;
    readonly accounts: readonly { readonly accountId: string }[];
  }[];
}

/** @returns the subjects that a hold can name and that an event of a request is about, as History names them */
export function heldSubjects(data: SubjectFields): Set<string> {
  const { keyId, accountId, requestId, attempts = [], requests = [] } = data;
  const subjects = new Set<string>();
  if (keyId) subjects.add(`apiKey-${keyId}`);
  const accounts = [
    accountId,
    ...[...attempts, ...requests.flatMap((each) => each.accounts)].map((each) => each.accountId),
  ];
  for (const id of accounts) if (id) subjects.add(`account-${id}`);
  for (const id of [requestId, ...requests.map((each) => each.requestId)]) if (id) subjects.add(`request-${id}`);
  return subjects;
}
