import type { SqlValue } from '#postgres/database.ts'

/** The columns of rows, each as one array parameter of `unnest`. `width` is the number of columns. */
export function columnsOf(rows: readonly (readonly SqlValue[])[], width: number): SqlValue[][] {
  const columns = Array.from({ length: width }, (): SqlValue[] => [])
  for (const row of rows) for (let column = 0; column < width; column++) columns[column]!.push(row[column]!)
  return columns
}

/** The text as the database stores it: without NUL characters and lone surrogates, which strangers can send. */
export const toStoredText = (text: string): string => text.replaceAll('\0', '\ufffd').toWellFormed()

/** Text in the order of its code units, for keys that are locked in order. */
export const compareText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)
