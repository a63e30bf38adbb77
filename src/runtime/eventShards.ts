/** The event shards of an environment, as this process sees them. */
export type EventShards = {
  count: number
  /** The shard number of a tag if known, else 0. */
  ofTag(tagId: string): number
  /** By shard number: why this process cannot use the shard now; undefined if it can. */
  problems(): readonly (string | undefined)[]
}

/**
 * Lists unreachable shards. The process stays ready, because it serves the tags of the others. Throws an Error if no shard
 * is reachable.
 */
export function describeShards({ problems }: Pick<EventShards, 'problems'>): string {
  const found = problems()
  const away = found.flatMap((problem, number) => (problem === undefined ? [] : [`shard ${number}: ${problem}`]))
  if (away.length === 0) return 'ok'
  const text = `${away.length} of ${found.length} cannot be reached, and their tags get 503: ${away.join('; ')}`
  if (away.length === found.length) throw new Error(text)
  return text
}
