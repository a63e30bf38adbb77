import type { Database } from '#postgres/database.ts'

type PlanNode = { 'Node Type': string; 'Index Cond'?: string; Plans?: PlanNode[] }

/** True if a plan reads a table or an index without a condition. */
const readsWhole = (node: PlanNode): boolean =>
  node['Node Type'] === 'Seq Scan' ||
  (/^(Bitmap )?Index (Only )?Scan$/.test(node['Node Type']) && !node['Index Cond']) ||
  (node.Plans ?? []).some(readsWhole)

/**
 * The statements whose generic plan reads a whole table or index. `texts`: statements with their numbers of parameters.
 */
export async function wholeReads(database: Database, texts: ReadonlyMap<string, number>): Promise<string[]> {
  const whole: string[] = []
  for (const [text, params] of texts) {
    const nulls = Array.from({ length: params }, () => 'NULL').join(', ')
    await database.transaction(async (sql) => {
      await sql(`PREPARE noted AS ${text}`)
      const [row] = await sql(`EXPLAIN (FORMAT JSON) EXECUTE noted${params > 0 ? ` (${nulls})` : ''}`)
      await sql('DEALLOCATE noted')
      if (readsWhole((row!['QUERY PLAN'] as { Plan: PlanNode }[])[0]!.Plan)) whole.push(text)
    })
  }
  return whole
}
