/** An item's attributes, in JavaScript's types. */
export type Item = Readonly<Record<string, unknown>>;

/** The two attributes by which the table finds an item. */
export interface ItemKey {
  readonly PK: string;
  readonly SK: string;
}

/** What placeholders of expressions stand for. */
interface ExpressionValues {
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: Item;
}

/** A condition that a write needs, in DynamoDB's expressions. */
export interface WriteCondition extends ExpressionValues {
  readonly ConditionExpression: string;
}

/** The condition that an item does not exist yet. */
export const isNew = { ConditionExpression: "attribute_not_exists(PK)" } as const satisfies WriteCondition;

/** The condition that an item exists. */
export const exists = { ConditionExpression: "attribute_exists(PK)" } as const satisfies WriteCondition;

/** A change of one item, in DynamoDB's expressions. */
export interface ItemUpdate extends ExpressionValues, Partial<WriteCondition> {
  readonly Key: ItemKey;
  readonly UpdateExpression: string;
}

/** Which item to read, and what of it. */
export interface ItemRead {
  readonly Key: ItemKey;
  readonly ProjectionExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
}

/** The result of a write. */
export interface WriteResult {
  readonly applied: boolean;
  /** After an update the item; otherwise the item that did not meet the condition. Empty when there is none. */
  readonly item: Item;
}

/** One write of a transaction; `check` writes nothing. */
export type TableWrite =
  | { readonly update: ItemUpdate }
  | { readonly put: Item; readonly condition?: WriteCondition }
  | { readonly delete: ItemKey; readonly condition?: WriteCondition }
  | { readonly check: ItemKey; readonly condition: WriteCondition };

/** Why one write cancelled its transaction. */
export interface WriteFailure {
  /** `conflict`: another request was writing the item at the same time. */
  readonly reason: "condition" | "conflict";
  /** The item that did not meet the condition; `undefined` when there is none. */
  readonly item: Item | undefined;
}

/** The result of a transaction. */
export interface TransactionResult {
  readonly applied: boolean;
  /** By the position of each write; `undefined` for those that could have been applied. */
  readonly failures: readonly (WriteFailure | undefined)[];
}

/** Items of one partition, in the order of their sort keys. */
export interface TableQuery {
  readonly partition: string;
  /** Only sort keys that begin with this. */
  readonly beginsWith?: string;
  /** Only sort keys from the first to the last, both included. */
  readonly between?: readonly [first: string, last: string];
  /** The attributes to read, by default all. Cannot be combined with `filter`. */
  readonly attributes?: readonly string[];
  readonly filter?: { readonly FilterExpression: string; readonly ExpressionAttributeValues: Item };
  readonly descending?: boolean;
  /** The max number of items. */
  readonly limit?: number;
  /** Start after the item with this key. */
  readonly after?: ItemKey | undefined;
}

/**
 * The service's table. All reads are consistent. Methods reject when DynamoDB fails or does not respond: a call takes at
 * most about 10 seconds, retries included.
 */
export interface Table {
  /** Returns an item, or `undefined` when there is none. */
  read(read: ItemRead, signal?: AbortSignal): Promise<Item | undefined>;
  /** Changes one item, or creates it, unless its condition fails. */
  update(update: ItemUpdate, signal?: AbortSignal): Promise<WriteResult>;
  /** Writes one item, replacing any with the same key. */
  put(item: Item): Promise<void>;
  /** The same, unless the condition fails. */
  putIf(item: Item, condition: WriteCondition): Promise<WriteResult>;
  /** Deletes one item; a missing one is no error. */
  delete(key: ItemKey): Promise<void>;
  /** The same, unless the condition fails. */
  deleteIf(key: ItemKey, condition: WriteCondition): Promise<WriteResult>;
  /**
   * Writes several items, all of them or none; retried attempts write them once. Conflicts with other writes are retried
   * a few times, and then thrown.
   *
   * @param options.reportsConflicts returns conflicts like failed conditions, without retrying.
   */
  transact(
    writes: readonly TableWrite[],
    options?: { readonly reportsConflicts?: boolean; readonly signal?: AbortSignal },
  ): Promise<TransactionResult>;
  /** Returns items of a partition. */
  query(query: TableQuery): Promise<Item[]>;
  /** Writes items, replacing any with the same keys. @throws Error when DynamoDB keeps postponing some of them. */
  putAll(items: readonly (Item & ItemKey)[]): Promise<void>;
  /** Deletes items; missing ones are no error. @throws Error when DynamoDB keeps postponing some of them. */
  deleteAll(keys: readonly ItemKey[]): Promise<void>;
}

/** The table for writes that requests wait for, and that must not be repeated blindly. */
export interface RequestTable extends Table {
  /**
   * Like `update`, but when the outcome of an attempt is unknown, the next one sends what `fallback` returns instead;
   * `undefined` ends the attempts.
   */
  updateWithFallback(
    update: ItemUpdate,
    fallback: () => ItemUpdate | undefined,
    signal?: AbortSignal,
  ): Promise<WriteResult>;
}
