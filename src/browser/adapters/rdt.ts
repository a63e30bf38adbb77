import type { Adapter } from './adapter.ts'

const names: Record<string, string> = { PageVisit: 'PageView', SignUp: 'CompleteRegistration' }

/** Reddit's pixel. */
const rdt: Adapter = {
  fields: 'transactionId=orderId transaction_id=orderId products=contents conversionId= customEventName=',
  items: 'name=title',
  person: 'email=email phoneNumber=phone externalId=customerId',
  start(host) {
    host.watchFunction(['rdt'], 'callQueue', (call) => {
      const [method, first, second] = call
      if (method === 'init') host.person(second)
      if (method !== 'track') return undefined
      const name = first === 'Custom' ? Object(second).customEventName : (names[`${first}`] ?? first)
      return host.track(call, { name, data: second, idAt: 2, idKey: 'conversionId' })
    })
  },
}

export default rdt
