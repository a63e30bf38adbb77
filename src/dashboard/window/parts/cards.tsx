import type { ComponentChildren } from 'preact'

type CardColumn = { name: string; label: string; isNumber?: boolean; isHeadHidden?: boolean }

/** A short table: on a narrow window each row is a card, whose values stand beside their names. */
export function Cards<Row>({
  label,
  columns,
  rows,
  keyOf,
  cells,
}: {
  label: string
  columns: readonly CardColumn[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
  /** The cells in the order of the columns; the first names the row. */
  cells: (row: Row) => readonly ComponentChildren[]
}) {
  return (
    <table class="table cards" aria-label={label}>
      <thead>
        <tr>
          {columns.map(({ name, label: text, isNumber, isHeadHidden }) => (
            <th key={name} scope="col" class={isNumber ? 'number' : undefined}>
              <span class={isHeadHidden ? 'hidden' : undefined}>{text}</span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => {
          const [first, ...rest] = cells(row)
          return (
            <tr key={keyOf(row)}>
              <th scope="row">{first}</th>
              {rest.map((cell, n) => {
                const { name, label: text, isNumber, isHeadHidden } = columns[n + 1]!
                return (
                  <td
                    key={name}
                    class={`${isNumber ? 'number ' : ''}cardCell-${name}`}
                    data-label={isHeadHidden ? undefined : text}
                  >
                    {cell}
                  </td>
                )
              })}
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}
