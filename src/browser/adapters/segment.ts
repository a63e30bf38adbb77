import type { Adapter, PageCall } from './adapter.ts'
import { commerceFields, sendCommerceEvent } from './commerceEvent.ts'

const isObject = (value: unknown) => typeof value === 'object' && value !== null

/** Segment's `analytics`: the stub, whose calls wait in a list, and the library. */
const segment: Adapter = {
  ...commerceFields,
  start(host) {
    const readers: Record<string, (call: PageCall) => void> = {
      track: ([name, properties]) => sendCommerceEvent(host, name, properties),
      page(call) {
        const [name, category] = call.filter((each) => typeof each === 'string').reverse()
        host.event('PageView', { ...Object(call.find(isObject)), name, category })
      },
      identify: (call) => host.person({ ...Object(call.find(isObject)), user_id: call[0] }),
      group: ([groupId, traits]) => void host.event('Group', { ...Object(traits), groupId }),
    }
    host.watch('analytics', (api) => {
      const read = ([method, ...call]: PageCall) => {
        readers[`${method}`]?.(call)
        return undefined
      }
      host.readWaiting(api, read)
      host.watchMethods(api, Object.keys(readers), read)
      return api
    })
  },
}

export default segment
