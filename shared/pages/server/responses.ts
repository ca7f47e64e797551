import type { ComponentChildren } from "preact";

/** The response of a page. */
export type PageResponse<Data = unknown> =
  | {
      readonly kind: "shown";
      readonly content: ComponentChildren;
      readonly status: number;
      readonly title: string | undefined;
      readonly cookies: readonly string[];
      readonly refreshSeconds: number | undefined;
      readonly retryAfterSeconds?: number | undefined;
    }
  | {
      readonly kind: "redirect";
      readonly to: string;
      readonly isOutside: boolean;
      readonly cookies: readonly string[];
    }
  | {
      readonly kind: "file";
      readonly contentType: string;
      readonly body: string | Uint8Array | AsyncIterable<Uint8Array>;
      readonly headers: Readonly<Record<string, string>>;
    }
  | { readonly kind: "data"; readonly value: Data };

/**
 * Shows the page.
 *
 * @param title replaces the declared one.
 * @param refreshSeconds reloads the page after this time if scripts do not run.
 */
export const shown = ({
  content,
  status = 200,
  title,
  cookies = [],
  refreshSeconds,
}: {
  readonly content: ComponentChildren;
  readonly status?: number;
  readonly title?: string;
  readonly cookies?: readonly string[];
  readonly refreshSeconds?: number | undefined;
}): PageResponse<never> => ({ kind: "shown", content, status, title, cookies, refreshSeconds });

/** Redirects to another page, with GET. @param path without the prefix of the stage. */
export const redirect = (
  path: string,
  { cookies = [] }: { readonly cookies?: readonly string[] } = {},
): PageResponse<never> => ({ kind: "redirect", to: path, isOutside: false, cookies });

/** Redirects to another site, such as an identity provider. The address must not come from a request. */
export const redirectOutside = (
  address: URL,
  { cookies = [] }: { readonly cookies?: readonly string[] } = {},
): PageResponse<never> => ({ kind: "redirect", to: address.href, isOutside: true, cookies });

/** Sends a file, such as a download or a script. */
export const sentFile = ({
  contentType,
  body,
  headers = {},
}: {
  readonly contentType: string;
  readonly body: string | Uint8Array | AsyncIterable<Uint8Array>;
  readonly headers?: Readonly<Record<string, string>>;
}): PageResponse<never> => ({ kind: "file", contentType, body, headers });

/** Sends JSON through the declaration's `data` schema. */
export const data = <Data>(value: Data): PageResponse<Data> => ({ kind: "data", value });
