import type { PageRequest, ResultPage } from '#store/store.ts'

/** A page has 50 rows by default. A blank cursor is ignored. */
export const toPageRequest = ({ cursor, limit }: { cursor?: string; limit?: number }): PageRequest => ({
  limit: limit ?? 50,
  ...(cursor && { cursor }),
})

/** All rows of a list, read in pages of 200. */
export async function readAllPages<Row>(list: (page: PageRequest) => Promise<ResultPage<Row>>): Promise<Row[]> {
  const rows: Row[] = []
  let cursor: string | undefined
  do {
    const page = await list({ limit: 200, ...(cursor && { cursor }) })
    rows.push(...page.rows)
    cursor = page.next
  } while (cursor)
  return rows
}

/** Whether a list has fewer rows than `count`. Reads at most `count` rows. */
export async function isBelow(
  count: number,
  list: (page: PageRequest) => Promise<ResultPage<unknown>>,
): Promise<boolean> {
  let rowsRead = 0
  let cursor: string | undefined
  do {
    const page = await list({ limit: Math.min(200, count - rowsRead), ...(cursor && { cursor }) })
    rowsRead += page.rows.length
    cursor = page.next
  } while (cursor && rowsRead < count)
  return rowsRead < count
}
