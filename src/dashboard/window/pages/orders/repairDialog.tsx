import { useEffect, useState } from 'preact/hooks'
import type { DeliveryStatus } from '#contract/deliveryStatus.ts'
import type { OrderRepair } from '#contract/order.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { orderWords as words } from '#dashboard/words/en/orders.ts'
import { statusWords } from '#dashboard/words/en/status.ts'
import { useAction } from '../../data/action.ts'
import { useChannelName } from '../../data/tag.tsx'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { ProblemLine, Skeleton } from '../../parts/view.tsx'

const countBy = (keys: readonly string[]) =>
  [...Map.groupBy(keys, (key) => key)].map(([key, all]) => [key, all.length] as const)

/** What a repair sends: the orders by what is done with them, and the deliveries by channel. */
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

/** First tells what a repair would send; a button sends it. */
export function RepairDialog({ tagId, range, onClose }: RepairProps) {
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
          <Button look="primary" isBusy={action.isBusy} isDisabled={!canSend} onClick={() => void send()}>
            {words.repairSend}
          </Button>
        )}
      </div>
    </Dialog>
  )
}
