/** A day as people write it, in UTC as all days of the service. */
export const dayOf = (time: string | number, language: string): string =>
  new Intl.DateTimeFormat(language, { dateStyle: "medium", timeZone: "UTC" }).format(new Date(time));

/** A moment as people write it, in UTC: the server does not know where its reader is. */
export const momentOf = (time: string | number, language: string): string =>
  `${new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" }).format(new Date(time))} UTC`;
