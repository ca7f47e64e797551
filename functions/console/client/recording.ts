import { followAudio } from "./parts/follow-audio.ts";
import { followProgress } from "./parts/follow-progress.ts";

for (const job of document.querySelectorAll<HTMLElement>("[data-job]")) followProgress(job);

const audio = document.querySelector("audio");
if (audio) followAudio(audio);
