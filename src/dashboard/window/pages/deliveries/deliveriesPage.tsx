import { RotateCw } from 'lucide'
import type { DeliveryRow } from '#contract/delivery.ts'
import { apiFilterOf, hasFilter, isReplayable, withoutFilters } from '#dashboard/list/filters.ts'
import { eventWords as words } from '#dashboard/words/en/events.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { useAddress, useList } from '../../data/here.tsx'
import { useChannelName, useQueryState } from '../../data/tag.tsx'
import { Id } from '../../parts/code.tsx'
import { ExportMenu } from '../../parts/exportMenu.tsx'
import { FilterBar } from '../../parts/filterBar.tsx'
import { type Column, List } from '../../parts/list.tsx'
import { ListPage, tagPage } from '../../parts/pages.tsx'
import { ReplayDialogButton } from '../../parts/replayDialog.tsx'
import { Status, toneOf } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { Empty, NoMatch } from '../../parts/view.tsx'

const columns: readonly Column[] = [
  { name: 'channel', label: words.columns.channel },
  { name: 'event', label: words.columns.event },
  { name: 'id', label: words.columns.id },
  { name: 'status', label: words.columns.status },
  { name: 'answer', label: words.columns.answer },
  { name: 'time', label: words.columns.time, isNumber: true },
]

const answerOf = ({ httpStatus, message }: DeliveryRow) =>
  [httpStatus === undefined ? undefined : words.http(httpStatus), message].filter(Boolean).join(' · ')

type DeliveryRowsProps = { tagId: string; rows: readonly DeliveryRow[]; onEnd: () => void }

function DeliveryRows({ tagId, rows, onEnd }: DeliveryRowsProps) {
  const address = useAddress()
  const nameOf = useChannelName(tagId)
  return (
    <List<DeliveryRow>
      label={frameWords.title.deliveries}
      variant="deliveries"
      columns={columns}
      rows={rows}
      keyOf={({ deliveryId }) => deliveryId}
      hrefOf={({ eventId, deliveryId }) =>
        eventId === undefined ? undefined : address('event', { tagId, eventId }, { delivery: deliveryId })
      }
      cells={(row) => [
        <bdi key="name">{nameOf(row.scriptId)}</bdi>,
        row.eventName,
        row.eventId === undefined ? (
          <span key="id" class="soft">
            {words.deletedEvent}
          </span>
        ) : (
          <Id key="id" of={row.eventId} />
        ),
        <Status key="status" of={row.status} reason={row.reason} />,
        <span key="answer" class="soft" title={answerOf(row)}>
          {answerOf(row)}
        </span>,
        <Time key="time" at={row.receivedAt} />,
      ]}
      toneOf={({ status }) => (toneOf(status) === 'bad' ? 'bad' : undefined)}
      onEnd={onEnd}
    />
  )
}

function Deliveries({ tagId }: { tagId: string }) {
  const [query, setQuery] = useQueryState()
  const filter = apiFilterOf(query)
  const list = useList(
    ['deliveries', tagId, filter],
    (api, at) => api.listDeliveries({ tagId, ...filter, limit: 200, ...at }),
    ({ deliveries }) => deliveries,
  )
  return (
    <ListPage
      title={frameWords.title.deliveries}
      actions={
        <>
          <ReplayDialogButton
            tagId={tagId}
            filter={filter}
            icon={RotateCw}
            whyNot={isReplayable(query) ? undefined : words.sendAgainTooNarrow}
          >
            {words.sendAgainMatching}
          </ReplayDialogButton>
          <ExportMenu tagId={tagId} of="delivery" filter={filter} />
        </>
      }
      filters={<FilterBar tagId={tagId} views="deliveries" />}
      of={list}
      skeleton={12}
      isScrolled
      none={
        hasFilter(query) ? (
          <NoMatch title={words.noDeliveryMatch} onClear={() => setQuery(withoutFilters(query))} />
        ) : (
          <Empty title={words.noDeliveriesTitle}>{words.noDeliveries}</Empty>
        )
      }
    >
      {(rows) => <DeliveryRows tagId={tagId} rows={rows} onEnd={list.loadMore} />}
    </ListPage>
  )
}

/** Every delivery of a tag, one for each event and channel. */
export default tagPage(Deliveries)
