import type { AgentFor } from './outgoingProxies.ts';

/** No call goes through a proxy. */
export const directCalls: AgentFor = () => ({});
