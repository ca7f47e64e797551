import { createHmac } from "node:crypto";
import { localAccountId } from "./local-account.ts";
import { type AccessRequest, type Decision, decide, type Statement } from "./policy.ts";

/** A key pair with which requests are signed. */
export interface AccessKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** A role of a template, with the statements of all its policies. */
export interface Role {
  readonly name: string;
  readonly statements: readonly Statement[];
}

/** A call that is refused, as far as services word it differently. */
export interface Denial {
  readonly action: string;
  readonly resource: string;
  /** The ARN of the caller. */
  readonly caller: string;
  /** The end of the sentence, which is the same for all services. */
  readonly reason: string;
}

const reasonFor = (decision: Decision, action: string): string =>
  decision === "explicitly denied"
    ? "with an explicit deny in an identity-based policy"
    : `because no identity-based policy allows the ${action} action`;

/** The key pair of a role: the same after each start, so links that it has signed stay valid. */
export const accessKeyOf = (root: AccessKey, roleName: string): AccessKey => ({
  accessKeyId: `local-${roleName}`,
  secretAccessKey: createHmac("sha256", root.secretAccessKey).update(roleName).digest("base64url"),
});

/** Who may do what: knows the access keys, and judges the calls of each. The root key may do everything. */
export class Authority {
  readonly #root: AccessKey;
  readonly #roles = new Map<string, { readonly role: Role; readonly key: AccessKey }>();

  constructor(root: AccessKey) {
    this.#root = root;
  }

  /** Admits a role. @returns the key pair with which it signs. */
  admit(role: Role): AccessKey {
    const key = accessKeyOf(this.#root, role.name);
    this.#roles.set(key.accessKeyId, { role, key });
    return key;
  }

  /** The secret of an access key; `undefined` when the key is unknown. */
  secretOf(accessKeyId: string): string | undefined {
    if (accessKeyId === this.#root.accessKeyId) return this.#root.secretAccessKey;
    return this.#roles.get(accessKeyId)?.key.secretAccessKey;
  }

  /**
   * Judges all that a call needs.
   *
   * @returns the first denial; `undefined` when all is allowed. An unknown key may do nothing.
   */
  denialOf(accessKeyId: string, requests: readonly AccessRequest[]): Denial | undefined {
    if (accessKeyId === this.#root.accessKeyId) return undefined;
    const role = this.#roles.get(accessKeyId)?.role ?? { name: "unknown", statements: [] };
    for (const request of requests) {
      const decision = this.judge(role, request);
      if (decision === "allowed") continue;
      const { action, resource } = request;
      const caller = `arn:aws:sts::${localAccountId}:assumed-role/${role.name}/local`;
      return { action, resource, caller, reason: reasonFor(decision, action) };
    }
    return undefined;
  }

  /** Judges one part of a call. Tests replace it, to take permissions away. */
  judge({ statements }: Role, request: AccessRequest): Decision {
    return decide(statements, request);
  }
}

/** The sentence of most services about a denial. */
export const denialMessage = ({ caller, action, resource, reason }: Denial): string =>
  `User: ${caller} is not authorized to perform: ${action} on resource: ${resource} ${reason}`;

/** The access key that an `Authorization` header names; empty when there is none. */
export const accessKeyIdIn = (authorization: string | undefined): string =>
  /\bCredential=(?<accessKeyId>[^,\s]+?)(?:\/[^/,\s]+){4}(?:,|$)/.exec(authorization ?? "")?.groups?.[
    "accessKeyId"
  ] ?? "";
