import type { ComponentChildren } from 'preact'
import { manageWords } from '#dashboard/words/en/manage.ts'

export type CardColumn<Row> = {
  name: string
  label: string
  isNumber?: boolean
  isHeadHidden?: boolean
  cell: (row: Row) => ComponentChildren
}

export type CardsProps<Row> = {
  label: string
  /** The first column names the row. */
  columns: readonly CardColumn<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
  /** The buttons of a row, in the last column. */
  actions?: ((row: Row) => ComponentChildren) | undefined
  /** The class of the table. `cards`: on a narrow window each row is a card with its values beside their names. */
  variant?: string
}

/** A short table. */
export function Cards<Row>({ label, columns: named, rows, keyOf, actions, variant = 'cards' }: CardsProps<Row>) {
  const buttons = (row: Row) => {
    const shown = actions?.(row)
    return shown && <div class="row rowActions">{shown}</div>
  }
  const columns = actions
    ? [...named, { name: 'actions', label: manageWords.actions, isHeadHidden: true, cell: buttons }]
    : named
  const [first, ...rest] = columns as readonly CardColumn<Row>[]
  return (
    <table class={`table ${variant}`} aria-label={label}>
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
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            <th scope="row">{first?.cell(row)}</th>
            {rest.map(({ name, label: text, isNumber, isHeadHidden, cell }) => (
              <td
                key={name}
                class={`${isNumber ? 'number ' : ''}cardCell-${name}`}
                data-label={isHeadHidden ? undefined : text}
              >
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
