/**
 * What is around the content of a page: `console` a sidebar, for people who are logged in; `docs` and `home` only the bar, and they use
 * the whole width; `solo` shows one form in the middle.
 */
export type Shell = "console" | "docs" | "home" | "plain" | "solo";
