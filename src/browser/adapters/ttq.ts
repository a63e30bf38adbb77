import type { Adapter, ReadCall } from './adapter.ts'

const names: Record<string, string> = { CompletePayment: 'Purchase', SubmitForm: 'Lead' }

/** TikTok's pixel: an array, to which its base code adds the methods. */
const ttq: Adapter = {
  fields: 'order_id=orderId query=search search_string=search content_id=ids content_ids=ids',
  items: 'content_id=id content_name=title content_category=category price=item_price',
  person: 'email=email phone_number=phone external_id=customerId',
  start(host) {
    const read: ReadCall = ([method, ...call]) => {
      if (method === 'identify') host.person(call[0])
      if (method === 'page') host.event('PageView', {})
      if (method !== 'track') return undefined
      const name = names[`${call[0]}`] ?? call[0]
      const passed = host.track(call, { name, data: call[1], idAt: 2, idKey: 'event_id' })
      return passed && [method, ...passed]
    }
    host.watch('ttq', (list) => {
      host.readWaiting(list, read)
      host.watchMethods(list, ['track', 'page', 'identify'], read)
      return list
    })
  },
}

export default ttq
