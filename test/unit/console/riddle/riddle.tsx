import { useFrame } from "../../../../shared/pages/view/frame.ts";

export const Riddle = () => <h1>{useFrame().texts.playground.translate}</h1>;
