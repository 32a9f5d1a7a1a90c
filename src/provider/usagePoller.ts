// stand-in until the real one lands
export const createUsagePoller = (_: unknown) => ({ start() {}, async stop() {}, async pollNow(_id: string) {} });
