import { randomUUID } from "node:crypto";
import {
  closeSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { identifiesSecret } from "./secret-arn.ts";

const versionSchema = z.object({
  versionId: z.string(),
  value: z.string(),
  /** Unix time in milliseconds. */
  createdAt: z.number(),
});

const secretSchema = z.object({ current: versionSchema, previous: versionSchema.optional() });

const fileSchema = z.record(z.string(), secretSchema);

export type SecretVersion = z.output<typeof versionSchema>;
export type Secret = z.output<typeof secretSchema>;

/** The secrets and the version before the current one, in `secrets.json`, which only its owner can read. */
export class SecretStore {
  readonly #file: string;
  readonly #secrets: Map<string, Secret>;

  /** @throws Error when the file exists but cannot be read as secrets. */
  constructor(dataDirectory: string) {
    mkdirSync(dataDirectory, { recursive: true });
    this.#file = join(dataDirectory, "secrets.json");
    this.#secrets = readSecrets(this.#file);
  }

  /** Looks a secret up by name or ARN. */
  find(identifier: string): { name: string; secret: Secret } | undefined {
    for (const [name, secret] of this.#secrets) {
      if (identifiesSecret(identifier, name)) return { name, secret };
    }
    return undefined;
  }

  put(name: string, value: string): SecretVersion {
    const previous = this.#secrets.get(name)?.current;
    if (previous?.value === value) return previous;
    const current = { versionId: randomUUID(), value, createdAt: Date.now() };
    this.#secrets.set(name, previous === undefined ? { current } : { current, previous });
    this.#save();
    return current;
  }

  ensure(name: string, create: () => string): string {
    const existing = this.#secrets.get(name);
    if (existing !== undefined) return existing.current.value;
    const value = create();
    this.put(name, value);
    return value;
  }

  // Written under another name and renamed, so that a crash leaves the old file or the new one, never half of one.
  #save(): void {
    const temporary = `${this.#file}.new`;
    const descriptor = openSync(temporary, "w", 0o600);
    try {
      // A file left over from a crash keeps the mode it had.
      fchmodSync(descriptor, 0o600);
      writeFileSync(descriptor, JSON.stringify(Object.fromEntries(this.#secrets), undefined, 2));
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporary, this.#file);
  }
}

const readSecrets = (file: string): Map<string, Secret> => {
  if (!existsSync(file)) return new Map();
  const text = readFileSync(file, "utf8");
  try {
    return new Map(Object.entries(fileSchema.parse(JSON.parse(text))));
  } catch {
    // Without the cause: a JSON error quotes the text around the mistake, and that text is a secret.
    throw new Error(`${file} is not a valid file of secrets. Restore or delete it.`);
  }
};
