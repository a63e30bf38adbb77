import { type ElementType, toBinaryColumns } from '#postgres/binaryArrays.ts'
import type { SqlValue } from '#postgres/database.ts'

/** Turns rows into columns: one array parameter of `unnest` each. `width`: the number of columns. */
export function columnsOf(rows: readonly (readonly SqlValue[])[], width: number): SqlValue[][] {
  const columns = Array.from({ length: width }, (): SqlValue[] => [])
  for (const row of rows) for (let column = 0; column < width; column++) columns[column]!.push(row[column]!)
  return columns
}

/** A FROM item with rows that are parameters of a statement, one array for each column; and these parameters. */
export function arrayRows(alias: string, types: Readonly<Record<string, ElementType>>, first = 1) {
  const [names, elements] = [Object.keys(types).join(', '), Object.values(types)]
  const arrays = elements.map((type, n) => `$${n + first}::${type}[]`).join(', ')
  return {
    names,
    from: `unnest(${arrays}) AS ${alias} (${names})`,
    params: (rows: readonly (readonly SqlValue[])[]) => toBinaryColumns(rows, elements),
  }
}

/** Replaces NUL characters and lone surrogates, which strangers can send and PostgreSQL refuses. */
export const toStoredText = (text: string): string => text.replaceAll('\0', '\ufffd').toWellFormed()

/** By code units, for keys that are locked in order. */
export const compareText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)
