import { closeSync, fdatasyncSync, openSync, readSync, statSync, writeSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'

/** Pages of one turn: 16 MiB, which takes 10 to 20 ms. Other writes wait meanwhile. */
const pagesPerTurn = 4_096

const fileHeaderBytes = 100
/** The size of the header of a b-tree page, by its type. The first byte of other pages is none of these types. */
const headerBytes: Readonly<Record<number, number>> = { 2: 12, 5: 12, 10: 8, 13: 8 }
/**
 * Overflow and free-list pages begin with a page number. With fewer pages than this, its first byte is below the lowest
 * type.
 */
const mostPages = 2 * 2 ** 24

/** The unused bytes of a b-tree page: those between the list of its cells and the cells. */
function gapOf(page: Buffer, isFirst: boolean): [from: number, to: number] | undefined {
  const at = isFirst ? fileHeaderBytes : 0
  const header = headerBytes[page[at]!]
  if (header === undefined) return undefined
  const from = at + header + 2 * page.readUInt16BE(at + 3)
  const to = page.readUInt16BE(at + 5) || 65_536
  return from < to && to <= page.length ? [from, to] : undefined
}

class PagesOfFile {
  readonly #file: number
  readonly #pageBytes: number
  readonly #zeros: Buffer

  constructor(file: number, pageBytes: number) {
    this.#file = file
    this.#pageBytes = pageBytes
    this.#zeros = Buffer.alloc(pageBytes)
  }
  read(first: number, count: number): Buffer[] {
    const bytes = Buffer.allocUnsafe(count * this.#pageBytes)
    const length = readSync(this.#file, bytes, 0, bytes.length, (first - 1) * this.#pageBytes)
    return Array.from({ length: Math.floor(length / this.#pageBytes) }, (_, n) =>
      bytes.subarray(n * this.#pageBytes, (n + 1) * this.#pageBytes),
    )
  }
  /** The free list: its empty pages, and the pages that contain the list, with the length used in bytes. */
  freePages(): { empty: Set<number>; lists: Map<number, number> } {
    const [empty, lists] = [new Set<number>(), new Map<number, number>()]
    let next = this.read(1, 1)[0]!.readUInt32BE(32)
    while (next !== 0 && !lists.has(next)) {
      const page = this.read(next, 1)[0]!
      const count = page.readUInt32BE(4)
      for (let n = 0; n < count; n++) empty.add(page.readUInt32BE(8 + 4 * n))
      lists.set(next, 8 + 4 * count)
      next = page.readUInt32BE(0)
    }
    return { empty, lists }
  }
  /** Overwrites bytes of a page unless they are zeros. */
  clear(number: number, page: Buffer, [from, to]: readonly [number, number]): void {
    const zeros = this.#zeros.subarray(from, to)
    if (!page.subarray(from, to).equals(zeros))
      writeSync(this.#file, zeros, 0, to - from, (number - 1) * this.#pageBytes + from)
  }
}

const numberOf = (db: DatabaseSync, name: string) => Number(Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0])

/** Empties the write-ahead log into the file. False while a reader needs it. */
function emptyLog(db: DatabaseSync): boolean {
  db.exec('PRAGMA busy_timeout = 0')
  const row = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()
  db.exec('PRAGMA busy_timeout = 5000')
  return row?.busy === 0
}

/**
 * SQLite overwrites the rows that it deletes (`secure_delete`). But it leaves copies in the unused bytes of a page when
 * it moves rows to another page, and it leaves deleted rows on free pages. Its own functions do not reach these bytes,
 * so they are overwritten directly in the file: https://www.sqlite.org/fileformat2.html
 * `db`: the only connection that writes. It must be closed first.
 */
export function openUnusedBytes(db: DatabaseSync, path: string) {
  const pageBytes = numberOf(db, 'page_size')
  let file: number | undefined

  function overwritePages(from: number): number | undefined {
    // Closing a file drops SQLite's locks on it in this process, so it stays open until SQLite has closed it.
    file ??= openSync(path, 'r+')
    const pages = new PagesOfFile(file, pageBytes)
    const { empty, lists } = pages.freePages()
    const found = pages.read(from, pagesPerTurn)
    for (const [n, page] of found.entries()) {
      const number = from + n
      const list = lists.get(number)
      const unused = empty.has(number)
        ? [0, pageBytes]
        : list === undefined
          ? gapOf(page, number === 1)
          : [list, pageBytes]
      if (unused) pages.clear(number, page, unused as [number, number])
    }
    fdatasyncSync(file)
    return found.length < pagesPerTurn ? undefined : from + pagesPerTurn
  }
  return {
    /**
     * Overwrites the unused bytes of some pages. Returns the page to continue at, which is the same one while a reader
     * prevents it.
     */
    overwrite(from: number): number | undefined {
      if (numberOf(db, 'page_count') >= mostPages || numberOf(db, 'auto_vacuum') !== 0) return undefined
      if (!emptyLog(db)) return from
      // Empties the cache too: a page that is written again from there would be written with its unused bytes.
      db.exec('PRAGMA shrink_memory; BEGIN IMMEDIATE')
      try {
        // Without a writer and with an empty log, the file has all data and does not change.
        return statSync(`${path}-wal`).size === 0 ? overwritePages(from) : from
      } finally {
        db.exec('ROLLBACK')
      }
    },
    close(): void {
      if (file !== undefined) closeSync(file)
      file = undefined
    },
  }
}
