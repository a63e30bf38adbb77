/** Epoch ms as a full date (RFC 3339) in UTC: `2026-11-20`. */
export const fullDate = (atMs: number): string => new Date(atMs).toISOString().slice(0, 10)
