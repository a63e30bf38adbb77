import type { OrderRow, OrderState } from '#contract/order.ts'
import type { OrderCell } from '#contract/orderCells.ts'
import { orderWords as words } from '#dashboard/words/en/orders.ts'
import { useAddress, useList } from '../../data/here.tsx'
import { useChannelName, useQueryState } from '../../data/tag.tsx'
import { LinkButton } from '../../parts/button.tsx'
import { Cards } from '../../parts/cards.tsx'
import { Paged } from '../../parts/pages.tsx'
import { Panel } from '../../parts/panel.tsx'
import { Time } from '../../parts/time.tsx'
import { Empty } from '../../parts/view.tsx'
import { orderReasons } from './orderReasons.ts'

const cellOf = (state: OrderState | undefined) => (state ? words.cell(state.cell) : '')
type CellOrdersProps = {
  tagId: string
  scriptId: string
  cells: readonly OrderCell[]
  rangeKey: string
  now: () => { from: number; to: number }
}

/** The orders of a cell of a channel, newest first. */
export function CellOrders({ tagId, scriptId, cells, rangeKey, now }: CellOrdersProps) {
  const nameOf = useChannelName(tagId)
  const address = useAddress()
  const [{ range, from, to }] = useQueryState()
  const cell = cells.join()
  const orders = useList(
    ['orders', tagId, rangeKey, scriptId, cell],
    (api, at) => api.listOrders({ tagId, ...now(), scriptId, cell: [...cells], limit: 50, ...at }),
    (page) => page.orders,
  )
  const stateOf = ({ states }: OrderRow) => states.find((state) => state.scriptId === scriptId)
  const title = words.ordersOf(nameOf(scriptId), cells)
  const { rowColumns: columns } = words
  return (
    <Panel
      title={title}
      isFlush
      actions={<LinkButton href={address('orders', { tagId }, { range, from, to })}>{words.close}</LinkButton>}
    >
      <Paged of={orders} none={<Empty title={words.noRowsTitle} />}>
        {(rows) => (
          <Cards
            label={title}
            columns={[
              {
                name: 'order',
                label: columns.order,
                cell: ({ orderId }) => (
                  <a href={address('order', { tagId, orderId }, { range, from, to, channel: scriptId, cell })}>
                    <bdi>{orderId}</bdi>
                  </a>
                ),
              },
              { name: 'placed', label: columns.placed, cell: ({ placedAt }) => <Time at={placedAt} /> },
              {
                name: 'value',
                label: columns.value,
                isNumber: true,
                cell: ({ value, currency }) => (value === undefined || !currency ? '' : words.money(value, currency)),
              },
              { name: 'cell', label: columns.cell, cell: (row) => cellOf(stateOf(row)) },
              {
                name: 'why',
                label: columns.why,
                cell: (row) => <span class="soft">{orderReasons(stateOf(row))}</span>,
              },
            ]}
            rows={rows}
            keyOf={({ orderId }) => orderId}
          />
        )}
      </Paged>
    </Panel>
  )
}
