import { describeLeaseStreams } from '../../test/contract/leaseStreams.ts';
import { memoryLeaseStreams } from '../../test/contract/memoryLeaseStreams.ts';

// The in-memory fake used by the tests of leases keeps the same contract as EventStoreDB.
describeLeaseStreams('memory', async () => ({
  leases: memoryLeaseStreams().connect(),
  [Symbol.asyncDispose]: async () => undefined,
}));
