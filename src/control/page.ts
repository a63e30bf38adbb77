import type { Page, PageOf } from '#store/store.ts'

/** What a list is asked for: 50 rows, unless it is said; a blank cursor is none. */
export const pageOf = ({ cursor, limit }: { cursor?: string; limit?: number }): PageOf => ({
  limit: limit ?? 50,
  ...(cursor && { cursor }),
})

/** Every row of a list, page by page. */
export async function every<Row>(list: (page: PageOf) => Promise<Page<Row>>): Promise<Row[]> {
  const rows: Row[] = []
  let cursor: string | undefined
  do {
    const page = await list({ limit: 200, ...(cursor && { cursor }) })
    rows.push(...page.rows)
    cursor = page.next
  } while (cursor)
  return rows
}

/** Whether a list has fewer rows than `count`. Reads no more of them than it must. */
export async function isBelow(count: number, list: (page: PageOf) => Promise<Page<unknown>>): Promise<boolean> {
  let seen = 0
  let cursor: string | undefined
  do {
    const page = await list({ limit: Math.min(200, count - seen), ...(cursor && { cursor }) })
    seen += page.rows.length
    cursor = page.next
  } while (cursor && seen < count)
  return seen < count
}
