import type { FaultName } from '#contract/fault.ts'
import type { OrderWrite } from '#contract/order.ts'
import type { orderOperations } from '#contract/orderOperations.ts'
import { newId } from '#kit/id.ts'
import {
  type ControlAnswer,
  type ControlRequest,
  type Customer,
  callControl,
  type TestControl,
  withLimits,
} from './testControl.ts'

type OrderOperationId = keyof typeof orderOperations
type OrderCases = {
  good: Record<OrderOperationId, () => ControlRequest>
  own: Record<OrderOperationId, Partial<Record<FaultName, () => Promise<ControlAnswer>>>>
  theirs: Record<OrderOperationId, FaultName>
}

/** An order of a shop from one day ago. */
export const makeOrder = (nowMs: number, overrides: Partial<OrderWrite> = {}): OrderWrite => ({
  ...{
    orderId: '#1001',
    aliases: ['gid://shopify/Order/5566'],
    placedAt: nowMs - 86_400_000,
    updatedAt: nowMs - 86_400_000,
  },
  ...{ status: 'paid', salesChannel: 'web', value: 84.9, currency: 'EUR', tax: 13.56, shipping: 4.9, source: 'upload' },
  ...overrides,
})

/** Orders for the cases of the contract. */
export async function orderCases(control: TestControl, customer: Customer): Promise<OrderCases> {
  const { tagId } = customer
  const order = makeOrder(control.clock.now())
  await callControl(control, 'putOrders', customer, { values: { tagId }, body: [order] })
  const range = () => ({ from: 0, to: control.clock.now() })
  const good: OrderCases['good'] = {
    putOrders: () => ({ values: { tagId }, body: [order] }),
    listOrders: () => ({ values: { tagId } }),
    readOrder: () => ({ values: { tagId, orderId: '5566' } }),
    readReconciliation: () => ({ values: { tagId } }),
    setReconciliation: () => ({ values: { tagId }, body: { timezone: 'Europe/Berlin' } }),
    repairOrders: () => ({ values: { tagId }, body: { ...range(), cells: ['noEvent', 'failed'], dryRun: true } }),
  }
  const tagUnknown = (id: OrderOperationId) => ({
    tagUnknown: () => {
      const { values, ...asked } = good[id]()
      return callControl(control, id, customer, { ...asked, values: { ...values, tagId: newId('tag', 0) } })
    },
  })
  async function hookFailed(): Promise<ControlAnswer> {
    const { body } = await callControl(control, 'createHook', customer, { body: { url: 'https://ci.example.com/' } })
    const { answer } = control.hooks
    control.hooks.answer = { status: 500, headers: {}, body: '', durationMs: 1 }
    const told = await callControl(control, 'setReconciliation', customer, good.setReconciliation())
    control.hooks.answer = answer
    await callControl(control, 'deleteHook', customer, { values: { hookId: String(body.hookId) } })
    return told
  }
  const own: OrderCases['own'] = {
    putOrders: tagUnknown('putOrders'),
    listOrders: tagUnknown('listOrders'),
    readOrder: {
      ...tagUnknown('readOrder'),
      orderUnknown: () => callControl(control, 'readOrder', customer, { values: { tagId, orderId: 'none' } }),
    },
    readReconciliation: tagUnknown('readReconciliation'),
    setReconciliation: { ...tagUnknown('setReconciliation'), hookFailed },
    repairOrders: {
      ...tagUnknown('repairOrders'),
      tooManyReplays: () =>
        withLimits(control, { replaysPerTeam: 0 }, () =>
          callControl(control, 'repairOrders', customer, {
            values: { tagId },
            body: { ...range(), cells: ['failed'], dryRun: false },
          }),
        ),
    },
  }
  const theirs = Object.fromEntries(Object.keys(good).map((id) => [id, 'tagUnknown'])) as OrderCases['theirs']
  return { good, own, theirs }
}
