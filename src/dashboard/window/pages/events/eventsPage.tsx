import { RotateCw } from 'lucide'
import { useState } from 'preact/hooks'
import { type DeliveryStatus, statuses } from '#contract/deliveryStatus.ts'
import type { EventRow } from '#contract/journey.ts'
import { apiFilterOf, hasFilter, withoutFilters } from '#dashboard/list/filters.ts'
import { eventWords } from '#dashboard/words/en/events.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { statusWords } from '#dashboard/words/en/status.ts'
import { useAddress, useList, useMay } from '../../data/here.tsx'
import { useQueryState } from '../../data/tag.tsx'
import { Button, LinkButton } from '../../parts/button.tsx'
import { Id } from '../../parts/code.tsx'
import { ExportMenu } from '../../parts/exportMenu.tsx'
import { FilterBar } from '../../parts/filterBar.tsx'
import { type Column, List } from '../../parts/list.tsx'
import { ListPage, tagPage } from '../../parts/pages.tsx'
import { ReplayDialogButton } from '../../parts/replayDialog.tsx'
import { Status, toneOf } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { Empty, NoMatch } from '../../parts/view.tsx'

const words = eventWords.columns
export const eventColumns: readonly Column[] = [
  { name: 'event', label: words.event },
  { name: 'result', label: words.result },
  { name: 'id', label: words.id },
  { name: 'visitor', label: words.visitor },
  { name: 'time', label: words.time, isNumber: true },
]

/** How many deliveries stand in each status, the ones that need a look first. */
const order: readonly DeliveryStatus[] = ['dead', 'refused', 'pending', 'held', 'delivered', 'simulated', 'skipped']

export function Counts({ of }: { of: Partial<Record<DeliveryStatus, number>> | undefined }) {
  return (
    <span class="counts">
      {order
        .filter((status) => of?.[status])
        .map((status) => (
          <Status key={status} of={status} text={eventWords.statusCount(of![status]!, statusWords.status(status))} />
        ))}
    </span>
  )
}

/** The cells of an event, shared with the live list. */
export const eventCells = (row: EventRow) => [
  row.eventName,
  <Counts key="counts" of={row.counts} />,
  <Id key="id" of={row.eventId} />,
  <Id key="visitor" of={row.userId} />,
  <Time key="time" at={row.receivedAt} />,
]

/** A row is as urgent as the worst of its deliveries. */
export const eventTone = ({ counts }: EventRow) =>
  statuses.some((status) => counts?.[status] && toneOf(status) === 'bad') ? 'bad' : undefined

function NoEvents({ tagId }: { tagId: string }) {
  const [query, setQuery] = useQueryState()
  const address = useAddress()
  if (hasFilter(query)) return <NoMatch title={eventWords.noMatch} onClear={() => setQuery(withoutFilters(query))} />
  return (
    <Empty
      title={eventWords.noEventsTitle}
      action={
        <LinkButton look="primary" href={address('install', { tagId })}>
          {eventWords.install}
        </LinkButton>
      }
    >
      {eventWords.noEvents}
    </Empty>
  )
}

const keyOfRow = (row: EventRow) => `${row.caller ?? ''} ${row.eventId}`

/** What can be done with the selected events. */
function Selected({
  tagId,
  selected,
  onClear,
}: {
  tagId: string
  selected: ReadonlyMap<string, string>
  onClear: () => void
}) {
  return (
    <div class="selectedBar" role="status">
      <b>{eventWords.selected(selected.size)}</b>
      <Button isSmall look="quiet" onClick={onClear}>
        {eventWords.clearSelection}
      </Button>
      <ReplayDialogButton tagId={tagId} filter={{}} eventIds={[...new Set(selected.values())]} icon={RotateCw}>
        {eventWords.sendAgainMatching}
      </ReplayDialogButton>
    </div>
  )
}

function EventList({ tagId, rows, onEnd }: { tagId: string; rows: readonly EventRow[]; onEnd: () => void }) {
  const address = useAddress()
  const { may } = useMay('replay:write')
  const [selected, setSelected] = useState<ReadonlyMap<string, string>>(new Map())
  const toggle = (row: EventRow) => {
    const next = new Map(selected)
    if (!next.delete(keyOfRow(row))) next.set(keyOfRow(row), row.eventId)
    setSelected(next)
  }
  return (
    <>
      {selected.size > 0 && <Selected tagId={tagId} selected={selected} onClear={() => setSelected(new Map())} />}
      <List
        label={eventWords.listTitle}
        look="events"
        columns={eventColumns}
        rows={rows}
        keyOf={keyOfRow}
        cells={eventCells}
        hrefOf={({ eventId, caller }) =>
          address('event', { tagId, eventId }, { caller: caller === 'untrusted' ? caller : undefined })
        }
        toneOf={eventTone}
        selection={
          may
            ? { labelOf: ({ eventId }) => eventWords.select(eventId), has: (key) => selected.has(key), toggle }
            : undefined
        }
        onEnd={onEnd}
      />
    </>
  )
}

function Events({ tagId }: { tagId: string }) {
  const [query] = useQueryState()
  const filter = apiFilterOf(query)
  const list = useList(
    ['events', tagId, filter],
    (api, at) => api.listEvents({ tagId, ...filter, limit: 200, ...at }),
    ({ events }) => events,
  )
  return (
    <ListPage
      title={frameWords.title('events')}
      actions={<ExportMenu tagId={tagId} of="event" filter={filter} />}
      filters={<FilterBar tagId={tagId} views="events" />}
      of={list}
      skeleton={12}
      isScrolled
      none={<NoEvents tagId={tagId} />}
    >
      {(rows) => <EventList tagId={tagId} rows={rows} onEnd={list.loadMore} />}
    </ListPage>
  )
}

/** Every event of a tag, newest first. */
export default tagPage(Events)
