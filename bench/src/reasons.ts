/** What is known of a row that is missed: why, and what the limit is. By row id; said only where it is missed. */
export const reasons: Readonly<Record<string, string>> = {};
