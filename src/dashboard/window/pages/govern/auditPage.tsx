import { X } from 'lucide'
import { Fragment } from 'preact'
import type { AuditEntry } from '#contract/audit.ts'
import { actionIds } from '#dashboard/actions.ts'
import type { Query } from '#dashboard/addresses.ts'
import { timeOf } from '#dashboard/list/filters.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { auditWords as words } from '#dashboard/words/en/govern.ts'
import { useActorName, useMembers } from '../../data/actors.ts'
import { useHere, useList } from '../../data/here.tsx'
import { useQueryState } from '../../data/tag.tsx'
import { Button } from '../../parts/button.tsx'
import { Cards } from '../../parts/cards.tsx'
import { Code } from '../../parts/code.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { AuditExportMenu } from '../../parts/exportMenu.tsx'
import { SelectFilter, TextFilter, TimeFilter } from '../../parts/filterBar.tsx'
import { DialogButton } from '../../parts/formDialog.tsx'
import { ListPage } from '../../parts/pages.tsx'
import { Time } from '../../parts/time.tsx'
import { Empty, NoMatch } from '../../parts/view.tsx'

const names = ['by', 'what', 'object', 'from', 'to'] as const

const filterOf = ({ by, what, object, from, to }: Query) => {
  const [since, before] = [timeOf(from), timeOf(to)]
  return {
    ...(by && { by }),
    ...(what && { what }),
    ...(object && { object }),
    ...(since !== undefined && { from: since }),
    ...(before !== undefined && { to: before }),
  }
}

type SelectProps = { name: 'by' | 'what'; any: string; known: readonly string[]; wordOf: (value: string) => string }

/** One value of a list. A value in the address that is not in the list is added at the end. */
function KnownFilter({ name, any, known, wordOf }: SelectProps) {
  const [query] = useQueryState()
  const chosen = query[name]
  const all = chosen && !known.includes(chosen) ? [...known, chosen] : known
  return <SelectFilter name={name} label={words[name]} any={any} of={all.map((value) => [value, wordOf(value)])} />
}

function WhoFilter() {
  const { data } = useMembers()
  const people = (data?.members ?? []).map(({ personId }) => personId)
  return <KnownFilter name="by" any={words.anyone} known={[...people, 'operator', 'aglet']} wordOf={useActorName()} />
}

/** The changes that the audit records, sorted by their words. */
const changes = [...new Set([...actionIds, ...Object.keys(words.others)])].toSorted((one, other) =>
  words.change(one).localeCompare(words.change(other)),
)

function Filters({ onClear }: { onClear: (() => void) | undefined }) {
  return (
    <search class="row filters">
      <WhoFilter />
      <KnownFilter name="what" any={words.anything} known={changes} wordOf={words.change} />
      <TextFilter name="object" label={words.object} placeholder={words.objectPlaceholder} isFirst />
      <TimeFilter name="from" label={words.from} />
      <TimeFilter name="to" label={words.to} />
      {onClear && (
        <Button variant="quiet" icon={X} onClick={onClear}>
          {frameWords.clear}
        </Button>
      )}
    </search>
  )
}

const textOf = (state: unknown) => JSON.stringify(state, undefined, 2)

/** The state of the object before and after the change. */
function Details({ of: entry, onClose }: { of: AuditEntry; onClose: () => void }) {
  return (
    <Dialog title={words.change(entry.what)} onClose={onClose}>
      {(['before', 'after'] as const).map(
        (name) =>
          entry[name] && (
            <Fragment key={name}>
              <h3>{words[name]}</h3>
              <Code text={textOf(entry[name])} label={words[name]} />
            </Fragment>
          ),
      )}
    </Dialog>
  )
}

const { columns } = words

/** The name in a state of the object. */
const nameIn = (state: AuditEntry['after']) => (typeof state?.name === 'string' ? state.name : undefined)

/** The changed object: by its name if known, with its id below. */
function ObjectName({ of: { object = '', before, after }, known }: { of: AuditEntry; known: string | undefined }) {
  const { me } = useHere()
  const nameOf = useActorName()
  const tag = me.tags.find(({ tagId }) => tagId === object)
  const name =
    nameIn(after) ?? nameIn(before) ?? tag?.name ?? known ?? (object === me.teamId ? words.team : nameOf(object))
  if (name === object)
    return (
      <code class="id" title={object}>
        {object}
      </code>
    )
  return (
    <span class="auditObject">
      <bdi>{name}</bdi>
      <code class="id soft" title={object}>
        {object}
      </code>
    </span>
  )
}

function Entries({ rows }: { rows: readonly AuditEntry[] }) {
  const nameOf = useActorName()
  const names = new Map(
    rows.flatMap(({ object, before, after }) => {
      const name = nameIn(after) ?? nameIn(before)
      return object && name ? [[object, name] as const] : []
    }),
  )
  return (
    <Cards
      label={frameWords.title.audit}
      columns={[
        { name: 'when', label: columns.when, cell: ({ at }) => <Time at={at} /> },
        { name: 'who', label: columns.who, cell: ({ by }) => <bdi title={by}>{nameOf(by)}</bdi> },
        { name: 'what', label: columns.what, cell: ({ what }) => <span title={what}>{words.change(what)}</span> },
        {
          name: 'object',
          label: columns.object,
          cell: (row) => row.object && <ObjectName of={row} known={names.get(row.object)} />,
        },
        { name: 'from', label: columns.from, cell: ({ from }) => from },
      ]}
      actions={(row) =>
        (row.before || row.after) && (
          <DialogButton isSmall dialog={(close) => <Details of={row} onClose={close} />}>
            {words.details}
          </DialogButton>
        )
      }
      rows={rows}
      keyOf={(row) => `${rows.indexOf(row)}`}
    />
  )
}

/** Every change to the team's objects. */
export default function AuditPage() {
  const [query, setQuery] = useQueryState()
  const filter = filterOf(query)
  const isFiltered = Object.keys(filter).length > 0
  const clear = () => setQuery({ ...query, ...Object.fromEntries(names.map((name) => [name, undefined])) })
  const audit = useList(
    ['audit', filter],
    (api, at) => api.listAudit({ ...filter, limit: 100, ...at }),
    ({ entries }) => entries,
  )
  return (
    <ListPage
      title={frameWords.title.audit}
      below={words.intro}
      actions={<AuditExportMenu filter={filter} />}
      filters={<Filters onClear={isFiltered ? clear : undefined} />}
      of={audit}
      skeleton={8}
      none={
        isFiltered ? (
          <NoMatch title={words.noMatch} onClear={clear} />
        ) : (
          <Empty title={words.noneTitle}>{words.none}</Empty>
        )
      }
    >
      {(rows) => <Entries rows={rows} />}
    </ListPage>
  )
}
