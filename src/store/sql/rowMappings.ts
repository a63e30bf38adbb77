import type { SqlParam } from '#kit/writeBatch.ts'
import type { SqlRow } from './sql.ts'

type ColumnValues = Record<string, SqlParam>

export const orNull = <Value extends SqlParam>(value: Value | undefined): Value | null => value ?? null
export const parseJson = (text: unknown): unknown => JSON.parse(String(text))

/** Builds a record from columns, without null columns. */
export const withoutNulls = <Out extends object>(fields: Record<keyof Out, unknown>): Out =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as Out

/** Maps a value to its columns and back. */
export type RowMapping<Value> = { columns(value: Value): ColumnValues; read(row: SqlRow): Value }

type Stored = SqlParam | undefined
/** For each field the name of its column, or a mapping. */
type Fields<Noun> = {
  readonly [Field in keyof Required<Noun>]: Noun[Field] extends Stored
    ? string | RowMapping<Noun[Field]>
    : RowMapping<Noun[Field]>
}

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Fields in columns of the same name: `createdAt` is in `created_at`. */
export const same = <Name extends string>(...names: readonly Name[]): Record<Name, string> =>
  Object.fromEntries(names.map((name) => [name, snakeCase(name)])) as Record<Name, string>

const column = (name: string): RowMapping<unknown> => ({
  columns: (value) => ({ [name]: orNull(value as Stored) }),
  read: (row) => row[name],
})

/** A value in a column as JSON. */
export const json = <Value>(name: string): RowMapping<Value> => ({
  columns: (value) => ({ [name]: value === undefined ? null : JSON.stringify(value) }),
  read: (row) => (row[name] === null ? null : parseJson(row[name])) as Value,
})

/** A field that is true or absent. */
export const flag = (name: string): RowMapping<true | undefined> => ({
  columns: (value) => ({ [name]: value ? 1 : null }),
  read: (row) => (row[name] === 1 ? true : null) as true | undefined,
})

/** Omits fields whose column is null. */
export function mapRow<Noun extends object>(fields: Fields<Noun>): RowMapping<Noun> {
  const mappings = (Object.keys(fields) as (keyof Noun)[]).map((field) => {
    const each: string | RowMapping<Noun[typeof field]> = fields[field]
    return [field, (typeof each === 'string' ? column(each) : each) as RowMapping<unknown>] as const
  })
  return {
    columns: (noun) => Object.assign({}, ...mappings.map(([field, { columns }]) => columns(noun[field]))),
    read(row) {
      const noun: Partial<Record<keyof Noun, unknown>> = {}
      for (const [field, { read }] of mappings) {
        const value = read(row)
        if (value !== null) noun[field] = value
      }
      return noun as Noun
    },
  }
}

/** `key`: the columns of the primary key. */
export type Table<Noun extends object> = RowMapping<Noun> & { name: string; key: string }

export const table = <Noun extends object>(name: string, key: string, fields: Fields<Noun>): Table<Noun> => ({
  name,
  key,
  ...mapRow(fields),
})
