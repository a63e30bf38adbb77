import type { Client } from '#contract/client.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { ConfirmButton } from '../../parts/confirmDialog.tsx'
import { ListPanel } from '../../parts/pages.tsx'

type NamedRow<Kind extends string> = { name: string; kind: Kind }
type NamedRowsProps<Data, Kind extends string, Row> = Pick<
  Parameters<typeof ListPanel<Data, Row>>[0],
  'of' | 'rowsOf' | 'actions' | 'rowActions' | 'columns' | 'foot'
> & {
  words: {
    title: string
    note: string
    none: string
    kind: string
    kindName: Readonly<Record<Kind, string>>
  }
}

/** Alert rules or contact points: both have a name and a kind, and further columns. */
export const NamedRows = <Data, Kind extends string, Row extends NamedRow<Kind>>({
  words,
  columns,
  ...list
}: NamedRowsProps<Data, Kind, Row>) => (
  <ListPanel
    {...list}
    title={words.title}
    note={words.note}
    none={words.none}
    columns={[
      { name: 'name', label: frameWords.name, cell: ({ name }) => <bdi>{name}</bdi> },
      { name: 'kind', label: words.kind, cell: ({ kind }) => words.kindName[kind] },
      ...columns,
    ]}
    keyOf={({ name }) => name}
  />
)

type RemoveButtonProps = {
  words: { removeTitle: string; removeText: string }
  name: string
  why: string | undefined
  changes: readonly string[]
  call: (api: Client) => Promise<unknown>
}

/** Removes a row, after confirmation. */
export const RemoveButton = ({ words, name, why, changes, call }: RemoveButtonProps) => (
  <ConfirmButton
    button={{ isSmall: true, why }}
    title={words.removeTitle}
    label={frameWords.remove}
    changes={changes}
    call={call}
  >
    <p>
      <bdi>{name}</bdi>
    </p>
    <p>{words.removeText}</p>
  </ConfirmButton>
)
