import { RotateCw } from 'lucide'
import type { Client } from '#contract/client.ts'
import type { DeliveryRow } from '#contract/delivery.ts'
import { apiFilterOf, hasFilter, isReplayable, withoutFilters } from '#dashboard/list/filters.ts'
import { eventWords as words } from '#dashboard/words/en/events.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { callsOf, keyOf, useAddress, useHere } from '../../data/here.tsx'
import { type PagedReading, usePaged } from '../../data/query.ts'
import { OfTag, useChannelName, useQueryState } from '../../data/tag.tsx'
import { Id } from '../../parts/code.tsx'
import { ExportMenu } from '../../parts/exportMenu.tsx'
import { FilterBar } from '../../parts/filterBar.tsx'
import { type Column, List } from '../../parts/list.tsx'
import { PageHead } from '../../parts/panel.tsx'
import { ReplayDialogButton } from '../../parts/replayDialog.tsx'
import { Status, toneOf } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { Empty, NoMatch, ProblemNote, Skeleton } from '../../parts/view.tsx'

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

type DeliveryRowsProps = { tagId: string; list: PagedReading<DeliveryRow> }

/** The deliveries that are read so far, and how many they are. */
function DeliveryRows({ tagId, list }: DeliveryRowsProps) {
  const address = useAddress()
  const nameOf = useChannelName(tagId)
  return (
    <>
      <List<DeliveryRow>
        label={words.deliveriesTitle}
        look="deliveries"
        columns={columns}
        rows={list.rows}
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
        onEnd={list.loadMore}
      />
      <p class="listFoot" role="status">
        {list.isLoadingMore ? frameWords.loading : frameWords.loadedRows(list.rows.length, !list.hasMore)}
      </p>
    </>
  )
}

function Deliveries({ tagId }: { tagId: string }) {
  const here = useHere()
  const [query, setQuery] = useQueryState()
  const filter = apiFilterOf(query)
  const list = usePaged<Awaited<ReturnType<Client['listDeliveries']>>, DeliveryRow>({
    queryKey: keyOf(here, ['deliveries', tagId, filter]),
    read: (cursor, signal) =>
      callsOf(here, signal).listDeliveries({ tagId, ...filter, limit: 200, ...(cursor && { cursor }) }),
    rowsOf: ({ deliveries }) => deliveries,
    nextOf: ({ next }) => next,
  })
  const body = () => {
    if (list.isLoading) return <Skeleton rows={12} />
    if (list.error) return <ProblemNote error={list.error} onRetry={list.reload} />
    if (list.rows.length === 0 && !list.hasMore && hasFilter(query))
      return <NoMatch title={words.noDeliveryMatch} onClear={() => setQuery(withoutFilters(query))} />
    if (list.rows.length === 0 && !list.hasMore)
      return <Empty title={words.noDeliveriesTitle}>{words.noDeliveries}</Empty>
    return <DeliveryRows tagId={tagId} list={list} />
  }
  return (
    <>
      <PageHead
        title={frameWords.title('deliveries')}
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
      />
      <FilterBar tagId={tagId} views="deliveries" />
      <div class="panel flush">{body()}</div>
    </>
  )
}

/** Every delivery of a tag: one for each event and channel. */
export default function DeliveriesPage() {
  return <OfTag>{({ tagId }) => <Deliveries tagId={tagId} />}</OfTag>
}
