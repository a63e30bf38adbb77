/** The event shards of an environment, as this process sees them. */
export type EventShards = {
  count: number
  /** The number of the shard of a tag, as far as it is known; else 0. */
  ofTag(tagId: string): number
  /** In the order of the numbers: why this process cannot work on a shard now; undefined where it can. */
  problems(): readonly (string | undefined)[]
}

/**
 * Says which shards cannot be reached: tags of the others are served, so the process stays ready. Throws an Error if none
 * can be reached.
 */
export function describeShards({ problems }: Pick<EventShards, 'problems'>): string {
  const found = problems()
  const away = found.flatMap((problem, number) => (problem === undefined ? [] : [`shard ${number}: ${problem}`]))
  if (away.length === 0) return 'ok'
  const text = `${away.length} of ${found.length} cannot be reached, and their tags get 503: ${away.join('; ')}`
  if (away.length === found.length) throw new Error(text)
  return text
}
