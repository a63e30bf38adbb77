import type { Adapter, PageCall, ReadCall } from './adapter.ts'

/** Microsoft's UET: an array that holds the arguments of the calls in sequence; later an object with `push`. */
const uetq: Adapter = {
  fields: 'revenue_value=value transaction_id=orderId search_term=search ecomm_prodid=ids items=contents event_id=',
  items: '',
  person: 'em=email ph=phone',
  start(host) {
    const read: ReadCall = (call) => {
      const [method, first, second] = call
      if (method === 'pageLoad') return host.track(call, { name: 'PageView', data: first, idAt: 1, idKey: 'event_id' })
      if (method !== 'event') return undefined
      const data = Object(second)
      return host.track(call, { name: host.gaEventName(`${first}`), data, idAt: 2, idKey: 'event_id' })
    }
    host.watch('uetq', (value) => {
      const list = value as { push(...call: PageCall): unknown }
      if (Array.isArray(list))
        list.forEach((word, at) => {
          const call = list.slice(at, at + 3)
          const passed = word === 'event' && typeof call[2] === 'object' && host.safely(() => read(call))
          if (passed) list[at + 2] = passed[2]
        })
      list.push = host.wrap(list.push, read) as typeof list.push
      return list
    })
  },
}

export default uetq
