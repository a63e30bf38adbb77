import { badRequest } from '#contract/fault.ts'

const cursorPattern = /^\d{1,16}(\.\d{1,16})*$/

/** Encodes the end of a page as opaque text. */
export const encodeCursor = (...at: readonly number[]) => Buffer.from(at.join('.')).toString('base64url')

/** The numbers of a cursor. Throws badRequest unless `encodeCursor` made the text from `count` numbers. */
export function decodeCursor(cursor: string, count: number): number[] {
  const text = Buffer.from(cursor, 'base64url').toString('latin1')
  const at = cursorPattern.test(text) ? text.split('.').map(Number) : []
  if (at.length !== count || encodeCursor(...at) !== cursor)
    throw badRequest({ path: 'cursor', message: 'is not the `next` of a page' })
  return at
}

export type ResultPage<Row> = { rows: Row[]; next?: string }
/** `cursor` is the `next` of the previous page. Rows that are ordered by time come newest first. */
export type PageRequest = { cursor?: string; limit: number }
