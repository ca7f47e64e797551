import * as z from "zod";
import type { InboundMessage } from "../../shared/messaging/inbound-message.ts";
import { messagingKeys } from "../../shared/messaging/keys.ts";
import type { Table } from "../../shared/platform/storage/table.ts";
import {
  type Conversation,
  initialSettings,
  maxExchanges,
  readConversation,
  type Settings,
} from "./conversation.ts";

/** A person, under all identifiers that the platform has used for them: phone numbers and user ids. */
export interface KnownPerson {
  /** The identifier under which everything is stored from now on. */
  readonly id: string;
  readonly others: readonly string[];
  /** Those of the others that do not lead to the person yet. */
  readonly unlinked: readonly string[];
  /** Those under which a conversation, or STOP, is stored, which becomes the person's. */
  readonly absorbed: readonly string[];
  /** When the person said STOP, under any identifier. */
  readonly stoppedAt: string | undefined;
  /** What was stored under each identifier when the person was found: a message under another one may change it meanwhile. */
  readonly versions: ReadonlyMap<string, StoredVersion>;
}

/** When what is stored under an identifier was written; `undefined` where there is nothing. */
export interface StoredVersion {
  readonly conversation: string | undefined;
  readonly stop: string | undefined;
}

/** What is stored about a person that a reply depends on. */
export interface FoundPerson {
  readonly person: KnownPerson;
  /** `undefined` for a new person, or one who has not written for 90 days. */
  readonly conversation: Conversation | undefined;
}

const written = z.object({ updated_at: z.string() });
const link = z.object({ alias_of: z.string() });
const stoppedItem = z.object({ stopped_at: z.string(), phones: z.array(z.string()).default([]) });

/** What one identifier has. */
interface Known {
  readonly leadsTo: string | undefined;
  readonly conversation: Conversation | undefined;
  /** When it was written. */
  readonly updatedAt: string | undefined;
  readonly stop: z.infer<typeof stoppedItem> | undefined;
}

const readKnown = async (name: string, table: Table): Promise<Known> => {
  const key = messagingKeys.conversation(name);
  // One query for the conversation and STOP, because every message needs them.
  const [items, alias] = await Promise.all([
    table.query({ partition: key.PK, beginsWith: key.SK }),
    table.read({ Key: messagingKeys.alias(name) }),
  ]);
  const stored = items.find(({ SK }) => SK === key.SK);
  const stop = items.find(({ SK }) => SK === messagingKeys.stopped(name).SK);
  return {
    leadsTo: alias && link.parse(alias).alias_of,
    conversation: stored && readConversation(stored),
    updatedAt: stored && written.parse(stored).updated_at,
    stop: stop && stoppedItem.parse(stop),
  };
};

/** More than anyone has: a limit for a chain of changes. */
const maxNames = 32;

const readAll = async (names: readonly string[], table: Table): Promise<Map<string, Known>> => {
  const known = new Map<string, Known>();
  const waiting = new Set(names);
  // A set also visits what is added to it meanwhile.
  for (const name of waiting) {
    const found = await readKnown(name, table);
    known.set(name, found);
    const others = [found.leadsTo ?? [], found.conversation?.phones ?? [], found.stop?.phones ?? []].flat();
    for (const other of others) if (waiting.size < maxNames) waiting.add(other);
  }
  return known;
};

/** The end of the links from an identifier. */
const endOf = (name: string, known: ReadonlyMap<string, Known>): string => {
  const passed = new Set([name]);
  let end = name;
  for (let next = known.get(end)?.leadsTo; next && !passed.has(next); next = known.get(next)?.leadsTo) {
    passed.add(next);
    end = next;
  }
  return end;
};

/** All identifiers that a message names, the current one first. */
const namesIn = ({ sender, phone, content }: Sender): string[] => [
  ...new Set([sender, phone ?? [], content?.type === "identity" ? content.names : []].flat()),
];

type Sender = Pick<InboundMessage, "sender" | "phone"> & Partial<Pick<InboundMessage, "content">>;

const isInitial = ({ mode, language, voice }: Settings): boolean =>
  mode === initialSettings.mode && language === initialSettings.language && voice === initialSettings.voice;

const laterConsent = (
  one: Conversation["consent"],
  other: Conversation["consent"],
): Conversation["consent"] => (one && other ? (one.at > other.at ? one : other) : (one ?? other));

const lastMessageAt = ({ last_message_at: at = 0 }: Conversation): number => at;

/** One conversation of two: nothing that a person chose or consented to is lost. */
const merge = (older: Conversation, newer: Conversation): Conversation => ({
  ...older,
  ...newer,
  settings: isInitial(newer.settings) ? older.settings : newer.settings,
  exchanges: [...older.exchanges, ...newer.exchanges].slice(-maxExchanges),
  note: newer.note || older.note,
  consent: laterConsent(older.consent, newer.consent),
  // A YES replies to the last question only.
  open_question: newer.open_question,
});

/** People in the table. Writes are part of finishing a message, see `finish-message.ts`. */
export interface PeopleRepository {
  /** Finds the person who sent a message, under all identifiers that lead to each other. */
  find(message: Sender): Promise<FoundPerson>;
}

/** Creates the repository of people; access patterns M1, M4 and M5 of the README in `shared/messaging`. */
export const createPeopleRepository = (table: Table): PeopleRepository => ({
  find: async (message) => {
    const known = await readAll(namesIn(message), table);
    const id = endOf(message.sender, known);
    const others = [...known.keys()].filter((name) => name !== id);
    const conversations = [...known.values()].flatMap(({ conversation }) => conversation ?? []);
    const conversation = conversations.toSorted((one, other) => lastMessageAt(one) - lastMessageAt(other));
    return {
      person: {
        id,
        others,
        unlinked: others.filter((name) => known.get(name)?.leadsTo !== id),
        absorbed: others.filter((name) => known.get(name)?.updatedAt || known.get(name)?.stop),
        stoppedAt: [...known.values()]
          .flatMap(({ stop }) => stop?.stopped_at ?? [])
          .toSorted()
          .at(-1),
        versions: new Map(
          [...known].map(([name, { updatedAt, stop }]) => [
            name,
            { conversation: updatedAt, stop: stop?.stopped_at },
          ]),
        ),
      },
      conversation: conversation.length > 0 ? conversation.reduce(merge) : undefined,
    };
  },
});
