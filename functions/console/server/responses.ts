import type { ComponentChildren } from "preact";

/** What a page answers. */
export type PageResponse<Data = unknown> =
  | {
      readonly kind: "shown";
      readonly content: ComponentChildren;
      readonly status: number;
      readonly title: string | undefined;
      readonly cookies: readonly string[];
      readonly refreshSeconds: number | undefined;
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
      readonly body: string | Uint8Array;
      readonly headers: Readonly<Record<string, string>>;
    }
  | { readonly kind: "data"; readonly value: Data };

/**
 * The page itself.
 *
 * @param title in the place of the declared one.
 * @param refreshSeconds after which it is asked for again where no scripts run; others ask for what has changed.
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

/** Another page of ours, always asked for with GET. @param path as pages are declared, without the prefix of the stage. */
export const redirect = (
  path: string,
  { cookies = [] }: { readonly cookies?: readonly string[] } = {},
): PageResponse<never> => ({ kind: "redirect", to: path, isOutside: false, cookies });

/** An address of somebody else's, such as an identity provider's. Never of what a request says. */
export const redirectOutside = (
  address: URL,
  { cookies = [] }: { readonly cookies?: readonly string[] } = {},
): PageResponse<never> => ({ kind: "redirect", to: address.href, isOutside: true, cookies });

/** Something that is no page: a table to download, a script. */
export const sentFile = ({
  contentType,
  body,
  headers = {},
}: {
  readonly contentType: string;
  readonly body: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}): PageResponse<never> => ({ kind: "file", contentType, body, headers });

/** What the page's declaration says programs get, as JSON. */
export const data = <Data>(value: Data): PageResponse<Data> => ({ kind: "data", value });
