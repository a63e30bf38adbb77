import type { ComponentChildren } from 'preact'
import type { Client } from '#contract/client.ts'
import type { useRead } from '../../data/here.tsx'
import { type CardColumn, Cards } from '../../parts/cards.tsx'
import { ConfirmButton } from '../../parts/confirmDialog.tsx'
import { ListPanel } from '../../parts/pages.tsx'

type NamedRow<Kind> = { name: string; kind: Kind }
type NamedRowsProps<Data, Kind, Row extends NamedRow<Kind>> = {
  words: {
    title: string
    note: string
    none: string
    name: string
    kind: string
    kindName: (kind: Kind) => string
  }
  of: ReturnType<typeof useRead<Data>>
  rowsOf: (data: Data) => readonly Row[]
  head: ComponentChildren
  /** Stands below the rows. */
  foot?: ComponentChildren
  columns: readonly CardColumn<Row>[]
  actions: (row: Row) => ComponentChildren
}

/** Alert rules or contact points: each has a name and a kind, and more columns. */
export const NamedRows = <Data, Kind, Row extends NamedRow<Kind>>({
  words,
  of,
  rowsOf,
  head,
  foot,
  columns,
  actions,
}: NamedRowsProps<Data, Kind, Row>) => (
  <ListPanel title={words.title} note={words.note} none={words.none} of={of} rowsOf={rowsOf} actions={head} foot={foot}>
    {(rows) => (
      <Cards
        label={words.title}
        columns={[
          { name: 'name', label: words.name, cell: ({ name }) => <bdi>{name}</bdi> },
          { name: 'kind', label: words.kind, cell: ({ kind }) => words.kindName(kind) },
          ...columns,
        ]}
        actions={actions}
        rows={rows}
        keyOf={({ name }) => name}
      />
    )}
  </ListPanel>
)

type RemoveButtonProps = {
  words: { remove: string; removeTitle: string; removeText: string }
  name: string
  why: string | undefined
  changes: readonly string[]
  call: (api: Client) => Promise<unknown>
}

/** Removes one of them, after a question. */
export const RemoveButton = ({ words, name, why, changes, call }: RemoveButtonProps) => (
  <ConfirmButton
    button={{ isSmall: true, why }}
    title={words.removeTitle}
    label={words.remove}
    changes={changes}
    call={call}
  >
    <p>
      <bdi>{name}</bdi>
    </p>
    <p>{words.removeText}</p>
  </ConfirmButton>
)
