import { X } from 'lucide'
import { useState } from 'preact/hooks'
import type { AuditEntry } from '#contract/audit.ts'
import type { Client } from '#contract/client.ts'
import { actionIds } from '#dashboard/actions.ts'
import type { Query } from '#dashboard/addresses.ts'
import { timeOf } from '#dashboard/list/filters.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { auditWords as words } from '#dashboard/words/en/govern.ts'
import { manageWords } from '#dashboard/words/en/manage.ts'
import { useActorName, useMembers } from '../../data/actors.ts'
import { callsOf, keyOf, useHere } from '../../data/here.tsx'
import { usePaged } from '../../data/query.ts'
import { useQueryState } from '../../data/tag.tsx'
import { Button } from '../../parts/button.tsx'
import { Cards } from '../../parts/cards.tsx'
import { Code } from '../../parts/code.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { AuditExportMenu } from '../../parts/exportMenu.tsx'
import { TextFilter, TimeFilter } from '../../parts/filterBar.tsx'
import { PageHead } from '../../parts/panel.tsx'
import { Time } from '../../parts/time.tsx'
import { Empty, NoMatch, ProblemNote, Skeleton } from '../../parts/view.tsx'

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

/** One value of a list; one of the address that is not in the list stands at its end. */
function SelectFilter({ name, any, known, wordOf }: SelectProps) {
  const [query, setQuery] = useQueryState()
  const chosen = query[name]
  const all = chosen && !known.includes(chosen) ? [...known, chosen] : known
  return (
    <label class={`selectFilter${chosen ? ' chosen' : ''}`}>
      <span class="hidden">{words[name]}</span>
      <select
        value={chosen ?? ''}
        onChange={(event) => setQuery({ ...query, [name]: event.currentTarget.value || undefined })}
      >
        <option value="">{any}</option>
        {all.map((value) => (
          <option key={value} value={value}>
            {wordOf(value)}
          </option>
        ))}
      </select>
    </label>
  )
}

function WhoFilter() {
  const { data } = useMembers()
  const people = (data?.members ?? []).map(({ personId }) => personId)
  return <SelectFilter name="by" any={words.anyone} known={[...people, 'operator', 'aglet']} wordOf={useActorName()} />
}

/** What the audit can have, in the order of their words. */
const changes = [...actionIds, ...Object.keys(words.others)].toSorted((one, other) =>
  words.change(one).localeCompare(words.change(other)),
)

function Filters({ onClear }: { onClear: (() => void) | undefined }) {
  return (
    <search class="filters">
      <WhoFilter />
      <SelectFilter name="what" any={words.anything} known={changes} wordOf={words.change} />
      <TextFilter name="object" label={words.object} placeholder={words.objectPlaceholder} isFirst />
      <TimeFilter name="from" label={words.from} />
      <TimeFilter name="to" label={words.to} />
      {onClear && (
        <Button look="quiet" icon={X} onClick={onClear}>
          {frameWords.clear}
        </Button>
      )}
    </search>
  )
}

const textOf = (state: unknown) => JSON.stringify(state, undefined, 2)

/** The state of the object before and after the change. */
function Details({ of: { what, before, after }, onClose }: { of: AuditEntry; onClose: () => void }) {
  return (
    <Dialog title={words.change(what)} onClose={onClose}>
      {before && (
        <>
          <h3>{words.before}</h3>
          <Code text={textOf(before)} label={words.before} />
        </>
      )}
      {after && (
        <>
          <h3>{words.after}</h3>
          <Code text={textOf(after)} label={words.after} />
        </>
      )}
    </Dialog>
  )
}

const { columns } = words
const list = [
  { name: 'when', label: columns.when },
  { name: 'who', label: columns.who },
  { name: 'what', label: columns.what },
  { name: 'object', label: columns.object },
  { name: 'from', label: columns.from },
  { name: 'actions', label: manageWords.actions, isHeadHidden: true },
]

/** The name that a state of the object has. */
const nameIn = (state: AuditEntry['after']) => (typeof state?.name === 'string' ? state.name : undefined)

/** What was changed: by its name where one is known, with its id below. */
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
  const [open, setOpen] = useState<AuditEntry>()
  const names = new Map(
    rows.flatMap(({ object, before, after }) => {
      const name = nameIn(after) ?? nameIn(before)
      return object && name ? [[object, name] as const] : []
    }),
  )
  return (
    <>
      <Cards<AuditEntry>
        label={frameWords.title('audit')}
        columns={list}
        rows={rows}
        keyOf={(row) => `${rows.indexOf(row)}`}
        cells={(row) => [
          <Time key="at" at={row.at} />,
          <bdi key="by" title={row.by}>
            {nameOf(row.by)}
          </bdi>,
          <span key="what" title={row.what}>
            {words.change(row.what)}
          </span>,
          row.object && <ObjectName key="object" of={row} known={names.get(row.object)} />,
          row.from,
          (row.before || row.after) && (
            <div key="actions" class="rowActions">
              <Button isSmall onClick={() => setOpen(row)}>
                {words.details}
              </Button>
            </div>
          ),
        ]}
      />
      {open && <Details of={open} onClose={() => setOpen(undefined)} />}
    </>
  )
}

/** Every change of the team's objects. */
export default function AuditPage() {
  const here = useHere()
  const [query, setQuery] = useQueryState()
  const filter = filterOf(query)
  const isFiltered = Object.keys(filter).length > 0
  const clear = () => setQuery({ ...query, ...Object.fromEntries(names.map((name) => [name, undefined])) })
  const audit = usePaged<Awaited<ReturnType<Client['listAudit']>>, AuditEntry>({
    queryKey: keyOf(here, ['audit', filter]),
    read: (cursor, signal) => callsOf(here, signal).listAudit({ ...filter, limit: 100, ...(cursor && { cursor }) }),
    rowsOf: ({ entries }) => entries,
    nextOf: ({ next }) => next,
  })
  const body = () => {
    if (audit.isLoading) return <Skeleton rows={8} />
    if (audit.error) return <ProblemNote error={audit.error} onRetry={audit.reload} />
    if (audit.rows.length > 0) return <Entries rows={audit.rows} />
    return isFiltered ? (
      <NoMatch title={words.noMatch} onClear={clear} />
    ) : (
      <Empty title={words.noneTitle}>{words.none}</Empty>
    )
  }
  return (
    <>
      <PageHead title={frameWords.title('audit')} below={words.intro} actions={<AuditExportMenu filter={filter} />} />
      <Filters onClear={isFiltered ? clear : undefined} />
      <div class="panel flush">
        <div class="panelBody">{body()}</div>
        {audit.hasMore && (
          <p class="listFoot">
            <Button isBusy={audit.isLoadingMore} onClick={audit.loadMore}>
              {manageWords.more}
            </Button>
          </p>
        )}
      </div>
    </>
  )
}
