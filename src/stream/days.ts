const dayMs = 86_400_000

/** The number of days since 1970, UTC. */
export const dayOf = (ms: number) => Math.floor(ms / dayMs)
