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
      return 'firewall';
    case 'settings':
      return 'settings';
    case 'modelCatalogue':
      return 'models';
    case 'pricing':
      return 'prices';
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
      return 'a client without a key';
    case 'cli':
      return 'command line';
    case 'system':
      return 'the system';
    default:
      return actor;
  }
}

/** Settings by the names that the page of the settings gives them. */
const SETTINGS: Readonly<Record<string, string>> = {
  stickyThreadsEnabled: '“Keep a conversation on one account”',
  preferEarlierResetAccounts: '“Prefer accounts that reset earlier”',
  routingStrategy: 'the strategy',
  importWithoutOverwrite: '“Skip existing accounts on import”',
  totpRequiredOnLogin: '“Require the code at every sign-in”',
  apiKeyAuthEnabled: '“Require an API key”',
};
const SETTING = new RegExp(`\\b(${Object.keys(SETTINGS).join('|')})\\b(?= changed from)`, 'g');

/**
 * A sentence of the log for people: accounts by their e-mail address, settings by what their page calls them, and a
 * capital at its beginning.
 */
export function readable(sentence: string, accounts: ReadonlyMap<string, string>): string {
  const named = sentence.replace(/\baccount ([\w.@+-]+)/g, (found, id) => {
    const email = accounts.get(id);
    return email ? `account ${email}` : found;
  });
  const plain = named.replace(SETTING, (name) => SETTINGS[name] ?? name);
  return plain.charAt(0).toUpperCase() + plain.slice(1);
}
