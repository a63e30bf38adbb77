/** The source of an event: a call from a browser contains the origin of its page. */
export const matchSources = ['browser', 'server'] as const
export type MatchSource = (typeof matchSources)[number]
