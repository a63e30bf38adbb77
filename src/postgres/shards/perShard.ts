import { runAll } from '#kit/fanOut.ts'

/** One part for each shard, and how to find the part of a tag or a script. */
export type PerShard<Part> = {
  /** In the order of the shards' numbers. */
  all: readonly Part[]
  ofTag(tagId: string): Promise<Part>
  /** The part that has a script; all parts if the script is unknown. */
  ofScript(scriptId: string): Promise<readonly Part[]>
}

export const mapShards = <Part, Other>(parts: PerShard<Part>, map: (part: Part) => Other): PerShard<Other> => {
  const mapped = new Map(parts.all.map((part) => [part, map(part)]))
  return {
    all: [...mapped.values()],
    ofTag: async (tagId) => mapped.get(await parts.ofTag(tagId))!,
    ofScript: async (scriptId) => (await parts.ofScript(scriptId)).map((part) => mapped.get(part)!),
  }
}

/** Calls whose first argument is a tag id. Each goes to the part of that tag. */
export function callsByTag<Part extends object, Name extends keyof Part & string>(
  { ofTag }: Pick<PerShard<Part>, 'ofTag'>,
  ...names: readonly Name[]
): Pick<Part, Name> {
  type Call = (tagId: string, ...rest: readonly unknown[]) => unknown
  const callOf =
    (name: Name): Call =>
    async (tagId, ...rest) =>
      ((await ofTag(tagId))[name] as Call)(tagId, ...rest)
  return Object.fromEntries(names.map((name) => [name, callOf(name)])) as Pick<Part, Name>
}

type Grouped<Part, Row> = Map<Part, { row: Row; place: number }[]>

/** The rows of each part, with their indexes in the list. */
export async function groupByTag<Part, Row>(
  { ofTag }: Pick<PerShard<Part>, 'ofTag'>,
  rows: readonly Row[],
  tagOf: (row: Row) => string,
): Promise<Grouped<Part, Row>> {
  const groups: Grouped<Part, Row> = new Map()
  const parts = await Promise.all(rows.map((row) => ofTag(tagOf(row))))
  for (const [place, row] of rows.entries()) {
    const part = parts[place]!
    groups.set(part, [...(groups.get(part) ?? []), { row, place }])
  }
  return groups
}

/** Runs work on each part with its rows. */
export async function runByTag<Part, Row extends { tagId: string }>(
  parts: PerShard<Part>,
  rows: readonly Row[],
  run: (part: Part, rows: Row[]) => Promise<unknown>,
): Promise<void> {
  const groups = await groupByTag(parts, rows, ({ tagId }) => tagId)
  await runAll(groups, ([part, own]) =>
    run(
      part,
      own.map(({ row }) => row),
    ),
  )
}
