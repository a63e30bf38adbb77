import { type ElementType, toBinaryColumns } from '#postgres/binaryArrays.ts'
import type { SqlValue } from '#postgres/database.ts'

/** The columns of rows, each as one array parameter of `unnest`. `width` is the number of columns. */
export function columnsOf(rows: readonly (readonly SqlValue[])[], width: number): SqlValue[][] {
  const columns = Array.from({ length: width }, (): SqlValue[] => [])
  for (const row of rows) for (let column = 0; column < width; column++) columns[column]!.push(row[column]!)
  return columns
}

/** Rows that are parameters of a statement, one array for each column: the FROM item of these rows, and their parameters. */
export function arrayRows(alias: string, types: Readonly<Record<string, ElementType>>, first = 1) {
  const [names, elements] = [Object.keys(types).join(', '), Object.values(types)]
  const arrays = elements.map((type, n) => `$${n + first}::${type}[]`).join(', ')
  return {
    names,
    from: `unnest(${arrays}) AS ${alias} (${names})`,
    params: (rows: readonly (readonly SqlValue[])[]) => toBinaryColumns(rows, elements),
  }
}

/** The text as the database stores it: without NUL characters and lone surrogates, which strangers can send. */
export const toStoredText = (text: string): string => text.replaceAll('\0', '\ufffd').toWellFormed()

/** Text in the order of its code units, for keys that are locked in order. */
export const compareText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)
