import type { Adapter } from './adapter.ts'
import { openDataLayerModel } from './dataLayerModel.ts'
import { gaFields } from './gaFields.ts'
import { readDataLayer } from './readDataLayer.ts'

/** Members of a push that are not event data. */
const containerKeys = /^(gtm\b|(event|eventCallback|eventTimeout|ecommerce|_clear)$)/

/**
 * Google Tag Manager's data layer: each push with `event`, with the state that a tag would read. `gtm.js`, which starts
 * the container, is the page view.
 */
const dataLayer: Adapter = {
  ...gaFields,
  start(host) {
    const { model, add, set } = openDataLayerModel()
    readDataLayer(host, (entry, isCommand) => {
      const push = host.copy(entry) as Record<string, unknown> | undefined
      if (!push || Array.isArray(push)) return
      if (isCommand) {
        const [command, first, second] = Object.values(push)
        if (command === 'set') typeof first === 'string' ? set(first, second) : add(Object(first))
        return
      }
      add(push)
      const event = `${push.event ?? 'gtm.'}`
      if (event === 'gtm.js') host.event('PageView', {})
      if (event.startsWith('gtm.')) return
      const name = host.gaEventName(event)
      const data: Record<string, unknown> = {}
      for (const key of Object.keys(push)) {
        const root = key.split('.')[0]!
        if (!containerKeys.test(key)) data[root] = model[root]
      }
      // an e-commerce tag reads the state, whenever it was pushed
      if (name !== event || push.ecommerce) Object.assign(data, model.ecommerce)
      host.event(name, data, data.event_id ?? data.eventId ?? data.eventID)
    })
  },
}

export default dataLayer
