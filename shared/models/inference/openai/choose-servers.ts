import type { AppError } from "../../../platform/errors/app-error.ts";
import { BackendRefusal } from "../../../platform/outbound/failures.ts";
import { CircuitOpen, NoSpeakers, UnknownLanguage } from "./backend.ts";
import { isServersFault } from "./circuit.ts";
import type { TaskServer } from "./task-server.ts";

/** Servers of one order, of which each gets its share of the calls. */
type Rank = readonly TaskServer[];

/** Groups servers by their order, the lowest first. */
export const rankServers = (servers: readonly TaskServer[]): readonly Rank[] =>
  [...Map.groupBy(servers, ({ backend: { order = 1 } }) => order)]
    .toSorted(([one], [other]) => one - other)
    .map(([, rank]) => rank);

const weightOf = ({ backend: { weight = 1 } }: TaskServer): number => weight;

/** Takes one server after another at random, by its weight: each is first as often as its share says. */
const shuffle = (rank: Rank): TaskServer[] => {
  const left = [...rank];
  const shuffled: TaskServer[] = [];
  while (left.length > 1) {
    let at = Math.random() * left.reduce((sum, server) => sum + weightOf(server), 0);
    const chosen = left.findIndex((server) => {
      at -= weightOf(server);
      return at < 0;
    });
    for (const server of left.splice(Math.max(0, chosen), 1)) shuffled.push(server);
  }
  return [...shuffled, ...left];
};

/** The servers in the order in which one request calls them, until one of them replies. */
export const callOrder = (ranks: readonly Rank[]): TaskServer[] => ranks.flatMap(shuffle);

/** Statuses that are about the request: another server would repeat them. */
const aboutRequest: readonly number[] = [400, 413, 415, 422];

/**
 * Whether another server is called after this failure: the server gets no calls, could not be reached, was silent or busy, failed,
 * refused our key, is out of credit, does not know the model or the language or who speaks, redirects, or sends a page or an error in place of a
 * reply. Any other refusal is about the request, so it is the caller's.
 */
export const isFollowed = (failure: AppError): boolean => {
  if (failure instanceof CircuitOpen || failure instanceof UnknownLanguage || failure instanceof NoSpeakers)
    return true;
  if (!isServersFault(failure)) return false;
  const { cause } = failure;
  if (cause instanceof BackendRefusal && !aboutRequest.includes(cause.status)) return true;
  return failure.code === "service_unavailable";
};
