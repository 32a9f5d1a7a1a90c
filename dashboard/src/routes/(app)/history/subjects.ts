interface Called {
  readonly account: (id: string) => string;
  readonly key: (id: string) => string;
}

/** What an event is about, in words: `account-<id>` is the account of an e-mail address. */
export function subjectText(subject: string, called: Called): string {
  const dash = subject.indexOf('-');
  const [kind, id] = [subject.slice(0, dash), subject.slice(dash + 1)];
  switch (kind) {
    case 'account':
      return called.account(id);
    case 'accountTokens':
      return `tokens of ${called.account(id)}`;
    case 'accountUsage':
      return `usage of ${called.account(id)}`;
    case 'accountLink':
      return `sign-in ${id.slice(0, 8)}`;
    case 'apiKey':
      return `key ${called.key(id)}`;
    case 'firewall':
      return 'the firewall';
    case 'settings':
      return 'the settings';
    case 'modelCatalogue':
      return 'the models';
    case 'pricing':
      return 'the prices';
    case 'session':
      return `session ${id.slice(0, 8)}`;
    case 'address':
      return `address ${id}`;
    case 'request':
      return `request ${id.slice(0, 12)}…`;
    default:
      return subject;
  }
}

/** How the filter spells an actor, in words. */
export function actorText(actor: string, called: Pick<Called, 'key'>): string {
  const colon = actor.indexOf(':');
  const [kind, id] = colon === -1 ? [actor, ''] : [actor.slice(0, colon), actor.slice(colon + 1)];
  switch (kind) {
    case 'operator':
      return id === '' ? 'any operator' : `an operator at ${id}`;
    case 'session':
      return `session ${id.slice(0, 8)}`;
    case 'apiKey':
      return `key ${called.key(id)}`;
    case 'anonymous':
      return 'somebody without a key';
    case 'cli':
      return 'the command line';
    case 'system':
      return 'the service itself';
    default:
      return actor;
  }
}

/** A sentence of the log for people: its ids of accounts as their e-mail addresses, and a capital at its beginning. */
export function readable(sentence: string, accounts: ReadonlyMap<string, string>): string {
  const named = sentence.replace(/\baccount ([\w.@+-]+)/g, (found, id) => {
    const email = accounts.get(id);
    return email ? `account ${email}` : found;
  });
  return named.charAt(0).toUpperCase() + named.slice(1);
}
