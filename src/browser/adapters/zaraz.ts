import type { Adapter } from './adapter.ts'
import { commerceFields, sendCommerceEvent } from './commerceEvent.ts'

const absent = () => Promise.resolve()

/** Cloudflare Zaraz: `zaraz.track`, `zaraz.ecommerce` and `zaraz.set`. Without Zaraz, its calls reach only the tag. */
const zaraz: Adapter = {
  ...commerceFields,
  start(host) {
    host.watch(
      'zaraz',
      (api) => {
        host.watchMethods(api, ['track', 'ecommerce', 'set'], ([method, name, value]) => {
          if (method === 'set') host.person({ [`${name}`]: value })
          else sendCommerceEvent(host, name, value)
          return undefined
        })
        return api
      },
      { absent: { track: absent, ecommerce: absent, set: absent } },
    )
  },
}

export default zaraz
