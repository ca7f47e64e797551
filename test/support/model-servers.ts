import { chatModelIds } from "../../shared/models/inference/chat.ts";
import type { Backend } from "../../shared/models/inference/openai/backend.ts";
import { type GivenProfile, profileSchema } from "../../shared/models/inference/profile-schema.ts";

/** A model by its server's name for it. */
const servedModel = (name: string, profile: GivenProfile = {}) => ({
  name,
  profile: profileSchema.parse(profile),
});

/** A server of models for a test. @param models their names there, of chat in the order of its models. */
export const modelServer = (
  { profile, ...server }: Partial<Backend> & Pick<Backend, "baseUrl"> & { readonly profile?: GivenProfile },
  ...models: readonly string[]
): Backend => {
  const [first] = models;
  const nameOf = (index: number): string => models[index] ?? first ?? "model";
  return {
    apiKey: async () => undefined,
    silenceMilliseconds: 1_000,
    model: servedModel(nameOf(0), profile),
    ...server,
    ...(first === undefined
      ? {}
      : {
          model: servedModel(first, profile),
          models: new Map(chatModelIds.map((id, index) => [id, servedModel(nameOf(index), profile)])),
        }),
  };
};
