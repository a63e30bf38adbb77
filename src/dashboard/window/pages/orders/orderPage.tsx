import { SearchX } from 'lucide'
import type { Order, OrderState } from '#contract/order.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { orderWords as words } from '#dashboard/words/en/orders.ts'
import { money } from '#dashboard/words/format.ts'
import { useAddress, useRead } from '../../data/here.tsx'
import { useChannelName, useParam, useQueryState } from '../../data/tag.tsx'
import { LinkButton } from '../../parts/button.tsx'
import { Facts } from '../../parts/code.tsx'
import { RowsPanel, tagPage } from '../../parts/pages.tsx'
import { PageHead } from '../../parts/panel.tsx'
import { Time } from '../../parts/time.tsx'
import { Empty, Note, Skeleton, View } from '../../parts/view.tsx'
import { orderReasons } from './orderReasons.ts'

type OrderProps = { tagId: string; order: Order }

const moneyOf = (value: number | undefined, currency: string | undefined) =>
  value === undefined || !currency ? '' : money(value, currency)

function OrderFacts({ order }: { order: Order }) {
  const { placedAt, updatedAt, status, salesChannel, source, value, refunded, currency, aliases } = order
  return (
    <Facts
      of={[
        [words.rowColumns.placed, <Time key="placed" at={placedAt} />],
        [words.facts.updated, <Time key="updated" at={updatedAt} />],
        [words.facts.status, order.isExpected ? words.status[status] : `${words.status[status]}, ${words.notExpected}`],
        [words.facts.received, words.receivedFrom(order.received)],
        value !== undefined && [words.rowColumns.value, moneyOf(value, currency)],
        Boolean(refunded) && [words.facts.refunded, moneyOf(refunded, currency)],
        salesChannel !== undefined && [words.facts.salesChannel, <bdi key="channel">{salesChannel}</bdi>],
        source !== undefined && [words.facts.source, <bdi key="source">{source}</bdi>],
        aliases.length > 0 && [words.facts.aliases, <bdi key="aliases">{aliases.join(', ')}</bdi>],
      ]}
    />
  )
}

/** The cell of the order in each channel, the reason, and the deciding delivery. */
function OrderCells({ tagId, order: { states } }: OrderProps) {
  const nameOf = useChannelName(tagId)
  const address = useAddress()
  const { rowColumns: columns } = words
  return (
    <RowsPanel
      title={words.cellsOfOrder}
      none={<Empty title={words.noChannelsTitle} />}
      columns={[
        { name: 'channel', label: words.columns.channel, cell: ({ scriptId }) => <bdi>{nameOf(scriptId)}</bdi> },
        { name: 'cell', label: columns.cell, cell: ({ cell }) => words.cell(cell) },
        { name: 'why', label: columns.why, cell: (state) => <span class="soft">{orderReasons(state)}</span> },
        {
          name: 'journey',
          label: words.journey,
          cell: ({ scriptId, eventId, deliveryId }: OrderState) =>
            eventId !== undefined && (
              <a
                href={address('event', { tagId, eventId }, { delivery: deliveryId })}
                aria-label={words.journeyOf(nameOf(scriptId))}
              >
                {words.showJourney}
              </a>
            ),
        },
      ]}
      rows={states}
      keyOf={({ scriptId }) => scriptId}
    />
  )
}

/** The purchases that the tag received for the order; each has its own journey. */
function OrderEvents({ tagId, order: { events } }: OrderProps) {
  const address = useAddress()
  const { eventColumns: columns } = words
  return (
    <RowsPanel
      title={words.eventsOfOrder}
      none={<Empty title={words.noEventsTitle}>{words.noEvents}</Empty>}
      columns={[
        {
          name: 'event',
          label: columns.event,
          cell: ({ eventId }) =>
            eventId === undefined ? (
              <span class="soft">{words.eventGone}</span>
            ) : (
              <a href={address('event', { tagId, eventId })}>
                <bdi>{eventId}</bdi>
              </a>
            ),
        },
        { name: 'received', label: columns.received, cell: ({ receivedAt }) => <Time at={receivedAt} /> },
        { name: 'from', label: columns.from, cell: ({ from }) => words.from(from) },
        {
          name: 'value',
          label: words.rowColumns.value,
          isNumber: true,
          cell: ({ value, currency }) => moneyOf(value, currency),
        },
        {
          name: 'deliveries',
          label: columns.deliveries,
          isNumber: true,
          cell: ({ deliveries }) => `${deliveries.length}`,
        },
      ]}
      rows={events}
      keyOf={({ eventId, receivedAt, from }) => `${eventId} ${receivedAt} ${from}`}
    />
  )
}

function OrderView({ tagId }: { tagId: string }) {
  const orderId = useParam('orderId')
  const [query] = useQueryState()
  const address = useAddress()
  const list = address('orders', { tagId }, query)
  const reading = useRead(['order', tagId, orderId], (api) => api.readOrder({ tagId, orderId }), { everyMs: 15_000 })
  const all = <LinkButton href={list}>{frameWords.title.orders}</LinkButton>
  const gone = (
    <Note icon={SearchX} title={words.orderUnknownTitle} isPage action={all}>
      <p>{words.orderUnknown}</p>
    </Note>
  )
  return (
    <View of={reading} skeleton={<Skeleton rows={10} />} gone={gone}>
      {(order) => (
        <>
          <PageHead above={<a href={list}>{frameWords.title.orders}</a>} title={words.orderTitle(order.orderId)} />
          <OrderFacts order={order} />
          <OrderCells tagId={tagId} order={order} />
          <OrderEvents tagId={tagId} order={order} />
        </>
      )}
    </View>
  )
}

/** One order: its cell in each channel, why, and its journeys. */
export default tagPage(OrderView)
