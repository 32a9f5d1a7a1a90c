import type { Schemas } from '#lib/api/client.ts';

declare global {
  namespace App {}
  interface Window {
    /** Set by app.html. */
    svcSession?: Promise<Schemas['DashboardSession'] | undefined>;
  }
}
