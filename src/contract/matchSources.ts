/** Where an event comes from. A call from a browser has the origin of its page, a call from a server has none. */
export const matchSources = ['browser', 'server'] as const
export type MatchSource = (typeof matchSources)[number]
