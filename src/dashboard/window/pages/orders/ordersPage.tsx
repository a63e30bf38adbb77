import { Send } from 'lucide'
import { useEffect, useState } from 'preact/hooks'
import type { DeliveryStatus } from '#contract/deliveryStatus.ts'
import type { OrderRepair, OrderReport, OrderRow, OrderState } from '#contract/order.ts'
import type { OrderCell } from '#contract/orderCells.ts'
import { cellsInQuery, cellsOf, type OrderColumn, orderColumns, ordersIn } from '#dashboard/list/orderCellGroups.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { orderWords as words } from '#dashboard/words/en/orders.ts'
import { statusWords } from '#dashboard/words/en/status.ts'
import { count, money, share } from '#dashboard/words/format.ts'
import { useAction } from '../../data/action.ts'
import { useAddress, useList, useMay, useRead } from '../../data/here.tsx'
import { useChannelName, useQueryState } from '../../data/tag.tsx'
import { Button, LinkButton } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { ExportMenu } from '../../parts/exportMenu.tsx'
import { DialogButton } from '../../parts/formDialog.tsx'
import { PagedPanel, RowsPanel, tagPage } from '../../parts/pages.tsx'
import { PageHead } from '../../parts/panel.tsx'
import { RangePicker, useRange } from '../../parts/rangePicker.tsx'
import { Time } from '../../parts/time.tsx'
import { Empty, ProblemLine, Skeleton, View } from '../../parts/view.tsx'
import { orderReasons } from './orderReasons.ts'

const countBy = (keys: readonly string[]) =>
  [...Map.groupBy(keys, (key) => key)].map(([key, all]) => [key, all.length] as const)

/** The plan of a repair: the orders by outcome, and the deliveries by channel. */
function Planned({ tagId, of: { orders, next } }: { tagId: string; of: OrderRepair }) {
  const nameOf = useChannelName(tagId)
  if (orders.length === 0) return <p>{words.repairNone}</p>
  const results = countBy(orders.map(({ result }) => result))
  const channels = countBy(orders.flatMap((order) => order.channels.map((each) => `${each.scriptId} ${each.status}`)))
  return (
    <>
      <p>{words.repairIntro}</p>
      <ul>
        {results.map(([result, count]) => (
          <li key={result}>{words.repairResult(result as OrderRepair['orders'][number]['result'], count)}</li>
        ))}
        {channels.map(([key, count]) => {
          const [scriptId = '', status] = key.split(' ')
          return (
            <li key={key}>
              {words.repairChannel(nameOf(scriptId), statusWords.status(status as DeliveryStatus), count)}
            </li>
          )
        })}
      </ul>
      {next !== undefined && <p class="soft">{words.repairMore}</p>}
    </>
  )
}

type RepairProps = { tagId: string; range: { from: number; to: number }; onClose: () => void }

/** First shows what a repair would send; a button sends it. */
function RepairDialog({ tagId, range, onClose }: RepairProps) {
  const action = useAction('orders', 'replays')
  const [planned, setPlanned] = useState<OrderRepair>()
  const [isDone, setDone] = useState(false)
  const repair = (dryRun: boolean) =>
    action.run((api) => api.repairOrders({ tagId, body: { ...range, cells: ['noEvent', 'failed'], dryRun } }))
  useEffect(() => {
    void repair(true).then((found) => found && setPlanned(found))
  }, [])
  const send = async () => {
    if (await repair(false)) setDone(true)
  }
  const canSend = planned?.orders.some(({ result }) => result === 'replayed' || result === 'sent') === true
  return (
    <Dialog title={words.repair} onClose={onClose}>
      {isDone ? (
        <p role="status">{words.repairDone}</p>
      ) : planned ? (
        <Planned tagId={tagId} of={planned} />
      ) : (
        !action.error && <Skeleton rows={3} height="line" />
      )}
      <ProblemLine error={action.error} />
      <div class="row dialogActions">
        <Button onClick={onClose}>{isDone ? frameWords.close : frameWords.cancel}</Button>
        {!isDone && (
          <Button variant="primary" isBusy={action.isBusy} isDisabled={!canSend} onClick={() => void send()}>
            {words.repairSend}
          </Button>
        )}
      </div>
    </Dialog>
  )
}

const cellOf = (state: OrderState | undefined) => (state ? words.cell(state.cell) : '')
type CellOrdersProps = {
  tagId: string
  scriptId: string
  cells: readonly OrderCell[]
  rangeKey: string
  now: () => { from: number; to: number }
}

/** The orders of a cell of a channel, newest first. */
function CellOrders({ tagId, scriptId, cells, rangeKey, now }: CellOrdersProps) {
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
    <PagedPanel
      title={title}
      actions={<LinkButton href={address('orders', { tagId }, { range, from, to })}>{words.close}</LinkButton>}
      of={orders}
      none={<Empty title={words.noRowsTitle} />}
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
          cell: ({ value, currency }) => (value === undefined || !currency ? '' : money(value, currency)),
        },
        { name: 'cell', label: columns.cell, cell: (row) => cellOf(stateOf(row)) },
        {
          name: 'why',
          label: columns.why,
          cell: (row) => <span class="soft">{orderReasons(stateOf(row))}</span>,
        },
      ]}
      keyOf={({ orderId }) => orderId}
    />
  )
}

type OrderChannel = OrderReport['channels'][number]
const { columns } = words

/** The number of orders in a cell, which opens them. */
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
      <div key={currency}>{money(value, currency)}</div>
    ))}
  </>
)

/** A row for each channel; its cells add up to the expected orders. */
function OrderTable({ tagId, of: { channels } }: { tagId: string; of: OrderReport }) {
  return (
    <RowsPanel
      title={words.table}
      none={<Empty title={words.noChannelsTitle} />}
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
          cell: (each) => share(each.acceptance),
        },
        {
          name: 'accounted',
          label: columns.accounted,
          isNumber: true,
          cell: (each) => share(each.accounted),
        },
      ]}
      rows={channels}
      keyOf={({ scriptId }) => scriptId}
    />
  )
}

function Summary({ of: { orders, received } }: { of: OrderReport }) {
  const { browserOnly, serverOnly, both, none, unknownOrders } = received
  return (
    <p>
      <b>{words.expected(orders.expected)}</b>. {words.besides(orders.open, orders.outOfScope)}{' '}
      {words.received(browserOnly, serverOnly, both, none)} {unknownOrders > 0 && words.unknown(unknownOrders)}
    </p>
  )
}

/** Exports the orders of the open cell, or of the whole range, as a file. */
function Export({ tagId, range }: { tagId: string; range: () => { from: number; to: number } }) {
  const [{ channel: scriptId, cell }] = useQueryState()
  const { may } = useMay('event:read', 'order:read')
  const cells = cellsInQuery(cell).join()
  return may ? (
    <ExportMenu tagId={tagId} of="order" filter={{ ...range(), scriptId, cell: cells || undefined }} />
  ) : null
}

function Orders({ tagId }: { tagId: string }) {
  const [{ channel: scriptId, cell }] = useQueryState()
  const { key, times } = useRange('7d')
  const { why } = useMay('order:write', 'replay:write')
  const cells = cellsInQuery(cell)
  const report = useRead(['orders', tagId, key], (api) => api.readReconciliation({ tagId, ...times() }), {
    staysWhile: tagId,
  })
  return (
    <>
      <PageHead
        title={frameWords.title.orders}
        below={words.intro}
        actions={
          <>
            <RangePicker fallback="7d" />
            <Export tagId={tagId} range={times} />
            <DialogButton
              variant="primary"
              icon={Send}
              why={why}
              dialog={(close) => <RepairDialog tagId={tagId} range={times()} onClose={close} />}
            >
              {words.repair}
            </DialogButton>
          </>
        }
      />
      <View of={report} skeleton={<Skeleton rows={6} />}>
        {(data) =>
          data.orders.all === 0 ? (
            <div class="panel">
              <Empty title={words.noneTitle}>{words.none}</Empty>
            </div>
          ) : (
            <>
              <Summary of={data} />
              <OrderTable tagId={tagId} of={data} />
            </>
          )
        }
      </View>
      {scriptId && cells.length > 0 && (
        <CellOrders
          key={`${scriptId} ${cell} ${key}`}
          tagId={tagId}
          scriptId={scriptId}
          cells={cells}
          rangeKey={key}
          now={times}
        />
      )}
    </>
  )
}

/** The orders of the shop by channel and cell. */
export default tagPage(Orders)
