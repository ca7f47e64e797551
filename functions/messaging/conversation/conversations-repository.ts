import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { messagingKeys } from "../../../shared/messaging/keys.ts";
import type { Table } from "../../../shared/storage/table.ts";
import { type Conversation, conversation } from "./conversation.ts";

/** Conversations in the table; they are written together with the record of the message that changed them. */
export interface ConversationsRepository {
  /** `undefined` for somebody who has never been answered. */
  find(sender: string): Promise<Conversation | undefined>;
}

/** The repository of conversations; access pattern M1 of the README in `shared/messaging`. */
export const createConversationsRepository = ({
  client,
  name: TableName,
}: Table): ConversationsRepository => ({
  find: async (sender) => {
    const { Item } = await client.send(
      new GetCommand({ TableName, Key: messagingKeys.conversation(sender), ConsistentRead: true }),
    );
    return Item && conversation.parse(Item);
  },
});
