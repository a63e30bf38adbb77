import { RotateCw } from 'lucide'
import { useState } from 'preact/hooks'
import type { EventRow } from '#contract/journey.ts'
import { apiFilterOf, hasFilter, withoutFilters } from '#dashboard/list/filters.ts'
import { eventWords } from '#dashboard/words/en/events.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { useAddress, useEventAddress, useList, useMay } from '../../data/here.tsx'
import { useQueryState } from '../../data/tag.tsx'
import { Button, LinkButton } from '../../parts/button.tsx'
import { ExportMenu } from '../../parts/exportMenu.tsx'
import { FilterBar } from '../../parts/filterBar.tsx'
import { List } from '../../parts/list.tsx'
import { ListPage, tagPage } from '../../parts/pages.tsx'
import { ReplayDialogButton } from '../../parts/replayDialog.tsx'
import { Empty, NoMatch } from '../../parts/view.tsx'
import { eventCells, eventColumns, eventTone } from './eventCells.tsx'

function NoEvents({ tagId }: { tagId: string }) {
  const [query, setQuery] = useQueryState()
  const address = useAddress()
  if (hasFilter(query)) return <NoMatch title={eventWords.noMatch} onClear={() => setQuery(withoutFilters(query))} />
  return (
    <Empty
      title={eventWords.noEventsTitle}
      action={
        <LinkButton variant="primary" href={address('install', { tagId })}>
          {eventWords.install}
        </LinkButton>
      }
    >
      {eventWords.noEvents}
    </Empty>
  )
}

const keyOfRow = (row: EventRow) => `${row.caller ?? ''} ${row.eventId}`

type SelectedProps = { tagId: string; selected: ReadonlyMap<string, string>; onClear: () => void }

/** The actions for the selected events. */
function Selected({ tagId, selected, onClear }: SelectedProps) {
  return (
    <div class="row selectedBar" role="status">
      <b>{eventWords.selected(selected.size)}</b>
      <Button isSmall variant="quiet" onClick={onClear}>
        {eventWords.clearSelection}
      </Button>
      <ReplayDialogButton tagId={tagId} filter={{}} eventIds={[...new Set(selected.values())]} icon={RotateCw}>
        {eventWords.sendAgainMatching}
      </ReplayDialogButton>
    </div>
  )
}

function EventList({ tagId, rows, onEnd }: { tagId: string; rows: readonly EventRow[]; onEnd: () => void }) {
  const address = useEventAddress(tagId)
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
        label={frameWords.title.events}
        variant="events"
        columns={eventColumns}
        rows={rows}
        keyOf={keyOfRow}
        cells={eventCells}
        hrefOf={address}
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
      title={frameWords.title.events}
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
