import { followAudio } from "./parts/follow-audio.ts";
import { followProgress } from "./parts/follow-progress.ts";

const activeJob = document.querySelector<HTMLElement>("[data-job]");
if (activeJob) followProgress(activeJob);

const player = document.querySelector("audio");
if (player) followAudio(player);
