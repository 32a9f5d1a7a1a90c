/** What happened, or would happen, to one thing of the other program. */
export interface ReportItem {
  readonly kind: 'account' | 'api_key' | 'setting' | 'allowed_ip' | 'requests' | 'other';
  readonly name: string;
  /** `changed`: taken over in another form than it had. `there`: svc has it, or had it. `left`: svc has nothing for it. */
  readonly outcome: 'imported' | 'changed' | 'there' | 'left';
  /** Why it is not `imported` unchanged, in sentences. */
  readonly reasons: readonly string[];
}

const TITLES: Readonly<Record<ReportItem['kind'], string>> = {
  account: 'Accounts',
  api_key: 'API keys',
  setting: 'Settings',
  allowed_ip: 'Allowed addresses',
  requests: 'Request log',
  other: 'Not known to svc',
};

const OUTCOMES: Readonly<Record<ReportItem['outcome'], string>> = {
  imported: 'imported',
  changed: 'imported, changed',
  there: 'not imported',
  left: 'not imported',
};

/** The report as lines for a terminal. */
export function reportLines(items: readonly ReportItem[]): string[] {
  return Object.entries(TITLES).flatMap(([kind, title]) => {
    const ofKind = items.filter((item) => item.kind === kind);
    if (ofKind.length === 0) return [];
    return [
      `${title}:`,
      ...ofKind.flatMap(({ name, outcome, reasons }) => [
        `  ${name}: ${OUTCOMES[outcome]}`,
        ...reasons.map((reason) => `    ${reason}`),
      ]),
    ];
  });
}
