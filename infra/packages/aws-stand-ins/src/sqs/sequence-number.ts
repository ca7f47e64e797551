/** A position in a FIFO queue as the API writes it: twenty digits, so that text order is the order of sending. */
export const sequenceNumber = (sequence: number): string => String(sequence).padStart(20, "0");
