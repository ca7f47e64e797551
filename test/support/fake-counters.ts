import type {
  AccountRequest,
  AddressRequest,
  Counts,
  LimitCounters,
} from "../../shared/limits/limit-counters.ts";

/** Counters whose answers a test decides, and what was asked of them. */
export interface FakeCounters extends LimitCounters {
  readonly accounts: AccountRequest[];
  readonly addresses: AddressRequest[];
  readonly refunded: AccountRequest[];
  /** How many tasks were counted beyond the first of each request that stands for several. */
  readonly moreTasks: number[];
}

const first: Counts = { counted: true, minute: 1, day: 1, month: 1 };

/** @param answer by default that of a first request. */
export const fakeCounters = (
  answer: (signal: AbortSignal) => Promise<Counts> = async () => first,
): FakeCounters => {
  const accounts: AccountRequest[] = [];
  const addresses: AddressRequest[] = [];
  const refunded: AccountRequest[] = [];
  const moreTasks: number[] = [];
  return {
    accounts,
    addresses,
    refunded,
    moreTasks,
    countMoreTasks: (_request, more, signal) => {
      moreTasks.push(more);
      return answer(signal);
    },
    refund: async (request) => {
      refunded.push(request);
    },
    countForAccount: (request, signal) => {
      accounts.push(request);
      return answer(signal);
    },
    countForAddress: (request, signal) => {
      addresses.push(request);
      return answer(signal);
    },
  };
};
