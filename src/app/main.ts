import type { Config } from './config/config.ts';
import type { Service } from './runService.ts';
import { openFoundation, type ServiceIo } from './wiring/foundation.ts';

/** Starts the whole service. @throws when a part cannot start, with what to do */
export async function startService(config: Config, io: ServiceIo): Promise<Service> {
  // While the thread of the log starts, this one loads the other parts.
  const [foundation, { runService }] = await Promise.all([openFoundation(config, io), import('./runService.ts')]);
  return runService(foundation, io);
}
