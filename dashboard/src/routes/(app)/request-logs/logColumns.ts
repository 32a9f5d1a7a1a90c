/** Columns of the list in their order; the time is always shown. */
export const LOG_COLUMNS = [
  { name: 'status', title: 'Status', from: 0 },
  { name: 'model', title: 'Model', from: 0 },
  { name: 'account', title: 'Account', from: 0 },
  { name: 'key', title: 'Key', from: 1_440 },
  { name: 'owner', title: 'Owner', from: 1_920 },
  { name: 'client', title: 'Client', from: 1_920 },
  { name: 'tokens', title: 'Tokens', from: 0 },
  { name: 'cost', title: 'Cost', from: 0 },
  { name: 'firstByte', title: 'First byte', from: 2_400 },
  { name: 'took', title: 'Latency', from: 0 },
] as const satisfies readonly {
  name: string;
  title: string /** Width of the window from which it is shown unasked. */;
  from: number;
}[];
export type LogColumn = (typeof LOG_COLUMNS)[number]['name'];

interface Viewer {
  /** Of the window, in pixels. */
  readonly width: number;
  /** Members see keys instead. */
  readonly seesAccounts: boolean;
}

/** The columns that the viewer can choose from. */
export const availableColumns = (seesAccounts: boolean) =>
  LOG_COLUMNS.filter(({ name }) => seesAccounts || name !== 'account');

/** Columns for a window of this width, when none are chosen. */
export const defaultColumns = ({ width, seesAccounts }: Viewer): LogColumn[] =>
  availableColumns(seesAccounts)
    .filter(({ name, from }) => from <= width || (name === 'key' && !seesAccounts))
    .map(({ name }) => name);

/** Reads `columns=model,key` of the URL; ignores names that do not exist, and all of it when none does. */
export function columnsFrom(text: string | null, viewer: Viewer): readonly LogColumn[] {
  if (text === null) return defaultColumns(viewer);
  const names = text.split(',');
  const known = availableColumns(viewer.seesAccounts)
    .map(({ name }) => name)
    .filter((name) => names.includes(name));
  return known.length > 0 || text === '' ? known : defaultColumns(viewer);
}
