import { followSound } from "./parts/follow-audio.ts";
import { followProgress } from "./parts/follow-progress.ts";

const underWay = document.querySelector<HTMLElement>("[data-job]");
if (underWay) followProgress(underWay);

const sound = document.querySelector("audio");
if (sound) followSound(sound);
