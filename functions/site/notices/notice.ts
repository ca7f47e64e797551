import type { GuidePart } from "../docs/guides/guide.ts";

/** The notices that a stage has. */
export const noticeNames = ["privacy", "terms"] as const;
export type NoticeName = (typeof noticeNames)[number];

/** A page about the rules of a stage. */
export interface StageNotice {
  readonly title: string;
  /** Such as `2026-11-24`: what people accept, and what is recorded with an account. */
  readonly version: string;
  readonly parts: readonly GuidePart[];
}

export type Notices = Readonly<Record<NoticeName, StageNotice>>;

/** The notices of stages that have their own, by the stage's name, and the templates for all others. */
export interface AllNotices {
  readonly templates: Notices;
  readonly byStage: Readonly<Record<string, Partial<Notices>>>;
}

/** The notices of a stage. */
export const noticesOf = (stage: string, { templates, byStage }: AllNotices): Notices => ({
  ...templates,
  ...byStage[stage],
});
