import type { Fault } from "./faults.ts";
import type { FunctionTarget } from "./function-target.ts";
import { createProxyEvent } from "./proxy-event.ts";
import { type IsBinary, mediaTypeOf, type Responder, type RoutedRequest } from "./responder.ts";

/** Responds with a Lambda proxy integration. */
export class LambdaResponder implements Responder {
  readonly #target: FunctionTarget;
  readonly #isBinary: IsBinary;

  constructor(target: FunctionTarget, isBinary: IsBinary) {
    this.#target = target;
    this.#isBinary = isBinary;
  }

  async respond({ exchange, head, body, authorizer }: RoutedRequest): Promise<Fault | undefined> {
    const { accept, "content-type": contentType } = exchange.request.headers;
    const event = createProxyEvent(head, body, this.#isBinary(mediaTypeOf(contentType)), authorizer);
    return this.#target.respond(exchange, event, this.#isBinary(mediaTypeOf(accept)));
  }
}
