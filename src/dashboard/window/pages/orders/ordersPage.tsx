import { Send } from 'lucide'
import type { OrderReport } from '#contract/order.ts'
import { cellsInQuery } from '#dashboard/list/orderCellGroups.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { orderWords as words } from '#dashboard/words/en/orders.ts'
import { useMay, useRead } from '../../data/here.tsx'
import { useQueryState } from '../../data/tag.tsx'
import { OrderExportMenu } from '../../parts/exportMenu.tsx'
import { DialogButton } from '../../parts/formDialog.tsx'
import { tagPage } from '../../parts/pages.tsx'
import { PageHead } from '../../parts/panel.tsx'
import { RangePicker, useRange } from '../../parts/rangePicker.tsx'
import { Empty, Skeleton, View } from '../../parts/view.tsx'
import { CellOrders } from './cellOrders.tsx'
import { OrderTable } from './orderTable.tsx'
import { RepairDialog } from './repairDialog.tsx'

function Summary({ of: { orders, received } }: { of: OrderReport }) {
  const { browserOnly, serverOnly, both, none, unknownOrders } = received
  return (
    <p>
      <b>{words.expected(orders.expected)}</b>. {words.besides(orders.open, orders.outOfScope)}{' '}
      {words.received(browserOnly, serverOnly, both, none)} {unknownOrders > 0 && words.unknown(unknownOrders)}
    </p>
  )
}

/** The orders of the open cell, or all of the range, as a file. */
function Export({ tagId, range }: { tagId: string; range: () => { from: number; to: number } }) {
  const [{ channel: scriptId, cell }] = useQueryState()
  const { may } = useMay('event:read', 'order:read')
  const cells = cellsInQuery(cell).join()
  return may ? <OrderExportMenu tagId={tagId} filter={{ ...range(), scriptId, cell: cells || undefined }} /> : null
}

function Orders({ tagId }: { tagId: string }) {
  const [{ channel: scriptId, cell }] = useQueryState()
  const { key, now } = useRange('7d')
  const { why } = useMay('order:write', 'replay:write')
  const rangeNow = () => {
    const { from, to } = now()
    return { from, to }
  }
  const cells = cellsInQuery(cell)
  const report = useRead(['orders', tagId, key], (api) => api.readReconciliation({ tagId, ...rangeNow() }), {
    staysWhile: tagId,
  })
  return (
    <>
      <PageHead
        title={frameWords.title('orders')}
        below={words.intro}
        actions={
          <>
            <RangePicker fallback="7d" />
            <Export tagId={tagId} range={rangeNow} />
            <DialogButton
              look="primary"
              icon={Send}
              why={why}
              dialog={(close) => <RepairDialog tagId={tagId} range={rangeNow()} onClose={close} />}
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
          now={rangeNow}
        />
      )}
    </>
  )
}

/** The orders of the shop by channel and cell. */
export default tagPage(Orders)
