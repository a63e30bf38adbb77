import type { Adapter } from './adapter.ts'
import { followBanner } from './banner.ts'

/**
 * Termly: `Termly.getConsentState()`, which also has the defaults of the visitor's location. So only its event counts as an
 * answer; the SDK stores it for later pages.
 */
const termly: Adapter = {
  start(host) {
    let isSubscribed = false
    let isAnswered = false
    followBanner(host, 'termly', [], ({ Termly }, check) => {
      if (!Termly?.getConsentState) return undefined
      if (!isSubscribed)
        Termly.on('consent', () => {
          isAnswered = true
          check()
        })
      isSubscribed = true
      return isAnswered ? { choices: Termly.getConsentState() ?? {} } : {}
    })
  },
}

export default termly
