import type { OrderReport } from '#contract/order.ts'
import { cellsOf, type OrderColumn, orderColumns, ordersIn } from '#dashboard/list/orderCellGroups.ts'
import { orderWords as words } from '#dashboard/words/en/orders.ts'
import { count } from '#dashboard/words/format.ts'
import { useAddress } from '../../data/here.tsx'
import { useQueryState } from '../../data/tag.tsx'
import { Cards } from '../../parts/cards.tsx'
import { Panel } from '../../parts/panel.tsx'
import { Empty } from '../../parts/view.tsx'

type OrderChannel = OrderReport['channels'][number]
const { columns } = words

/** The number of orders of a cell: it opens them. */
function CellLink({ tagId, of, column }: { tagId: string; of: OrderChannel; column: OrderColumn }) {
  const address = useAddress()
  const [{ range, from, to }] = useQueryState()
  const orders = ordersIn(of, column)
  if (orders === 0) return <span class="soft">0</span>
  const query = { range, from, to, channel: of.scriptId, cell: cellsOf(column).join() }
  return (
    <a href={address('orders', { tagId }, query)} aria-label={words.cellLink(orders, columns[column], of.name)}>
      {count(orders)}
    </a>
  )
}

const Gap = ({ of: { gap } }: { of: OrderChannel }) => (
  <>
    {gap.map(({ currency, value }) => (
      <div key={currency}>{words.money(value, currency)}</div>
    ))}
  </>
)

/** A row for each channel, whose cells add up to the expected orders. */
export function OrderTable({ tagId, of: { channels } }: { tagId: string; of: OrderReport }) {
  return (
    <Panel title={words.table} isFlush>
      {channels.length === 0 ? (
        <Empty title={words.noChannelsTitle} />
      ) : (
        <Cards
          label={words.table}
          columns={[
            { name: 'channel', label: columns.channel, cell: ({ name }) => <bdi>{name}</bdi> },
            ...orderColumns.map((column) => ({
              name: column,
              label: columns[column],
              isNumber: true,
              cell: (channel: OrderChannel) => <CellLink tagId={tagId} of={channel} column={column} />,
            })),
            { name: 'gap', label: columns.gap, isNumber: true, cell: (channel) => <Gap of={channel} /> },
            {
              name: 'acceptance',
              label: columns.acceptance,
              isNumber: true,
              cell: (each) => words.share(each.acceptance),
            },
            {
              name: 'accounted',
              label: columns.accounted,
              isNumber: true,
              cell: (each) => words.share(each.accounted),
            },
          ]}
          rows={channels}
          keyOf={({ scriptId }) => scriptId}
        />
      )}
    </Panel>
  )
}
