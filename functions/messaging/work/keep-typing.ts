import type { InboundMessage } from "../../../shared/messaging/inbound-message.ts";
import type { MessagingPlatform } from "../platform/messaging-platform.ts";

/** The platform shows it for 25 seconds, or until something is sent. */
const againMilliseconds = 20_000;

/** Shows the person that their message was read and is being answered, until stopped. A courtesy: failures are ignored. */
export const keepTyping = (platform: MessagingPlatform, message: InboundMessage) => {
  let showing: Promise<void> = Promise.resolve();
  const showAgain = (): void => {
    showing = showing.then(() => platform.showTyping(message, message.id)).catch(() => undefined);
  };
  showAgain();
  const timer = setInterval(showAgain, againMilliseconds);
  return {
    showAgain,
    /** Resolves when nothing more is on its way. */
    stop: async (): Promise<void> => {
      clearInterval(timer);
      await showing;
    },
  };
};
