import { NOT_UNDERSTOOD, type RunCommand } from '../commandLine/command.ts';
import { readConfig } from '../config/config.ts';
import { exportOutbox, listOutbox, retryOutbox } from './outboxCommand.ts';

/** `svc outbox list`, `retry` and `export` */
export const outbox: RunCommand = async ([action, ...rest], { print }) => {
  const options = { config: readConfig(), print };
  const [file] = rest;
  const removes = rest.length === 2 && rest[1] === '--remove';
  if (action === 'list' && file === undefined) listOutbox(options);
  else if (action === 'retry') retryOutbox(rest, options);
  else if (action === 'export' && file !== undefined && (rest.length === 1 || removes))
    await exportOutbox(file, removes, options);
  else return NOT_UNDERSTOOD;
  return 0;
};
