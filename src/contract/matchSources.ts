/** Where an event came from: a browser says the origin of its page. */
export const matchSources = ['browser', 'server'] as const
export type MatchSource = (typeof matchSources)[number]
