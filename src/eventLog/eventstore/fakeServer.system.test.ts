import { describeEventStore } from '../../../test/contract/eventStore.ts';
import { startFakeEventStore } from '../../../test/support/eventstore/fakeEventStore.ts';

describeEventStore('fake EventStoreDB', () => startFakeEventStore());
