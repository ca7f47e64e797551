import { followAudio } from "./parts/follow-audio.ts";
import { followProgress } from "./parts/follow-progress.ts";

const job = document.querySelector<HTMLElement>("[data-job]");
if (job) followProgress(job);

const audio = document.querySelector("audio");
if (audio) followAudio(audio);
