import type { Adapter } from './adapter.ts'
import { followBanner } from './banner.ts'

/**
 * iubenda: the purposes of `_iub.cs.consent`, or its single answer for all. It reports changes only to callbacks of its own
 * configuration, so it is polled.
 */
const iubenda: Adapter = {
  start(host) {
    let isWatched = false
    followBanner(host, 'iubenda', [], ({ _iub, setInterval }, check) => {
      if (!_iub?.cs?.api) return undefined
      if (!isWatched) setInterval(check, 300)
      isWatched = true
      const { timestamp, purposes, consent, version } = _iub.cs.consent ?? {}
      if (!timestamp) return {}
      const has = (id: number) => (purposes ? purposes[id] === true : consent === true)
      return { choices: { functionality: has(2), measurement: has(4), marketing: has(5) }, version }
    })
  },
}

export default iubenda
