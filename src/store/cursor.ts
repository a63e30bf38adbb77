import { badRequest } from '#contract/fault.ts'

const written = /^\d{1,15}(\.\d{1,15})*$/

/** Where a page ended, as text that callers hand back unread. */
export const cursorOf = (...at: readonly number[]) => Buffer.from(at.join('.')).toString('base64url')

/** The numbers of a cursor. Throws badRequest for a text that `cursorOf` did not make of as many numbers. */
export function readCursor(cursor: string, count: number): number[] {
  const text = Buffer.from(cursor, 'base64url').toString('latin1')
  const at = written.test(text) ? text.split('.').map(Number) : []
  if (at.length !== count || cursorOf(...at) !== cursor)
    throw badRequest({ path: 'cursor', message: 'is not the `next` of a page' })
  return at
}
