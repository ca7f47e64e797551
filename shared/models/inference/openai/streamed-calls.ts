import { randomUUID } from "node:crypto";
import type { ChatEvent } from "../chat.ts";
import { isWithoutArguments, type WireCall } from "./wire-fields.ts";

/** An id for a call that its server sent without one. */
export const newCallId = (): string => `call_${randomUUID().replaceAll("-", "")}`;

interface OpenCall {
  id: string;
  name: string;
  arguments: string;
  /** Its number among the calls that were passed on. */
  index: number | undefined;
}

const isWhole = ({ name, arguments: text }: OpenCall): boolean => {
  try {
    return name !== "" && text.trimEnd().endsWith("}") && JSON.parse(text) !== null;
  } catch {
    return false;
  }
};

/**
 * The calls of one streamed reply, which arrive in pieces. Servers number the pieces of a call alike, as OpenAI does, or number none
 * of them, or all with 0; they repeat ids and names, leave them out, or send them late and in pieces. So what a piece continues
 * depends on what is complete.
 */
export class StreamedCalls {
  readonly #tools: readonly string[];
  readonly #calls: OpenCall[] = [];
  readonly #byPosition = new Map<number, OpenCall>();
  #latest: OpenCall | undefined;
  #count = 0;

  /** @param tools the names of those that may be called. */
  constructor(tools: readonly string[] = []) {
    this.#tools = tools;
  }

  /** Whether a call has been passed on. */
  get hasAny(): boolean {
    return this.#count > 0;
  }

  /** @returns what can be passed on after the next piece. */
  read(piece: WireCall): readonly ChatEvent[] {
    const open = this.#find(piece);
    const call = open && !this.#startsAnother(open, piece) ? open : this.#open(piece);
    this.#latest = call;
    call.id ||= piece.id;
    if (call.index === undefined) call.name = this.#nameWith(call.name, piece.name);
    const text = call.arguments === "" && isWithoutArguments(piece.arguments) ? "" : piece.arguments;
    call.arguments += text;
    const { index } = call;
    if (index !== undefined) return text === "" ? [] : [{ type: "tool-call-delta", index, arguments: text }];
    return this.#isNamed(call) ? this.#passOn(this.#calls.slice(0, this.#calls.indexOf(call) + 1)) : [];
  }

  /** The rest at the end. No arguments are an empty object, and arguments without a name are for the tool of the call before. */
  end(): readonly ChatEvent[] {
    for (const [number, call] of this.#calls.entries()) {
      if (call.arguments !== "") call.name ||= this.#calls[number - 1]?.name ?? "";
    }
    const empty = this.#calls.filter(({ arguments: text }) => text === "");
    for (const call of empty) call.arguments = "{}";
    const completed = empty.flatMap(({ index }): ChatEvent[] =>
      index === undefined ? [] : [{ type: "tool-call-delta", index, arguments: "{}" }],
    );
    return [...completed, ...this.#passOn(this.#calls)];
  }

  #find({ position, id }: WireCall): OpenCall | undefined {
    if (position !== undefined) return this.#byPosition.get(position);
    return (id === "" ? undefined : this.#calls.find((call) => call.id === id)) ?? this.#latest;
  }

  #open({ position }: WireCall): OpenCall {
    const call: OpenCall = { id: "", name: "", arguments: "", index: undefined };
    this.#calls.push(call);
    if (position !== undefined) this.#byPosition.set(position, call);
    return call;
  }

  #startsAnother(open: OpenCall, { id, name, arguments: text }: WireCall): boolean {
    const hasOtherId = id !== "" && open.id !== "" && id !== open.id;
    const isObject = text.trimStart().startsWith("{");
    if (isObject && isWhole(open)) return true;
    if (name === "") return false;
    if (open.arguments !== "")
      return isWhole(open) ? hasOtherId || name !== open.name : hasOtherId && name !== open.name;
    if (open.name === "" || name === open.name) return hasOtherId;
    if (this.#mayBeTool(this.#nameWith(open.name, name))) return false;
    return hasOtherId || (this.#tools.includes(open.name) && this.#tools.includes(name));
  }

  #mayBeTool(start: string): boolean {
    return this.#tools.some((tool) => tool.startsWith(start));
  }

  /** A piece of a name continues it, repeats it, or repeats it with more. */
  #nameWith(name: string, piece: string): string {
    if (piece === "" || piece === name) return name;
    return piece.startsWith(name) && !this.#mayBeTool(name + piece) ? piece : name + piece;
  }

  /** Whether the rest of the name cannot follow. */
  #isNamed({ name, arguments: text }: OpenCall): boolean {
    if (name === "" || text !== "") return name !== "";
    return this.#tools.includes(name) && !this.#tools.some((tool) => tool !== name && tool.startsWith(name));
  }

  #passOn(calls: readonly OpenCall[]): ChatEvent[] {
    return calls
      .filter((call) => call.name !== "" && call.index === undefined)
      .map((call): ChatEvent => {
        call.id ||= newCallId();
        call.index = this.#count;
        this.#count += 1;
        return {
          type: "tool-call",
          index: call.index,
          call: { id: call.id, name: call.name, arguments: call.arguments },
        };
      });
  }
}
