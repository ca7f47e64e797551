import { daySeconds, hourSeconds } from "../platform/durations.ts";
import type {
  ItemKind,
  Lifetime,
  ObjectKind,
  OtherKind,
  StoredKinds,
} from "../platform/storage/stored-kinds.ts";

/** The settings of a stage on which lifetimes depend, in days. */
export interface LifetimeSettings {
  /** 0 for as long as the account exists. */
  readonly SPEECH_LIFETIME_DAYS: number;
  readonly LOG_RETENTION_DAYS: number;
}

const counted = (amount: number, unit: string): string => `${amount} ${unit}${amount === 1 ? "" : "s"}`;

const durationText = (seconds: number): string => {
  const days = Math.ceil(seconds / daySeconds);
  if (seconds > daySeconds) return counted(days, "day");
  return seconds < hourSeconds
    ? counted(Math.ceil(seconds / 60), "minute")
    : counted(seconds / hourSeconds, "hour");
};

/** How long something is stored, as people read it. @param settings of the stage; without them, the text names the setting. */
export const lifetimeText = (lasts: Lifetime, settings: LifetimeSettings | undefined): string => {
  if ("until" in lasts) return `until ${lasts.until}`;
  if ("seconds" in lasts) return durationText(lasts.seconds);
  if (!settings) return `the days of the setting \`${lasts.setting}\``;
  const days = settings[lasts.setting];
  return days === 0 ? "until the account is deleted" : counted(days, "day");
};

type Kind = ItemKind | ObjectKind | OtherKind;

const erasureText = ({ erased }: Kind): string => (erased.by === "none" ? `No. ${erased.why}` : "Yes");

const exportText = ({ exported }: Kind): string => {
  if ("never" in exported) return `No. ${exported.never}`;
  return `\`${"file" in exported ? exported.file : exported.folder}\``;
};

/** A table for people, with Markdown in its cells. */
export interface RetentionTable {
  readonly caption: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Everything that is stored about people: how long, whether it is deleted with the account, and what the export has of it. */
export const retentionTable = (kinds: StoredKinds, settings?: LifetimeSettings): RetentionTable => ({
  caption: "What is stored, and how long",
  columns: ["What", "At most", "Deleted with the account", "In the export"],
  rows: [...kinds.items, ...kinds.objects, ...kinds.others]
    .filter(({ about }) => about !== "service")
    .map((kind) => [kind.what, lifetimeText(kind.lasts, settings), erasureText(kind), exportText(kind)]),
});

/** A table as Markdown. */
export const tableMarkdown = ({ columns, rows }: RetentionTable): string =>
  [columns, columns.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
