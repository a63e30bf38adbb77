import type { Adapter } from './adapter.ts'
import { followBanner } from './banner.ts'

/**
 * Termly: `Termly.getConsentState()`. It has the defaults of the visitor's place too, so an answer is what its event tells; the
 * SDK keeps it for the next pages.
 */
const termly: Adapter = {
  start(host) {
    let isHeard = false
    let isAnswered = false
    followBanner(host, 'termly', [], ({ Termly }, look) => {
      if (!Termly?.getConsentState) return undefined
      if (!isHeard)
        Termly.on('consent', () => {
          isAnswered = true
          look()
        })
      isHeard = true
      return isAnswered ? { choices: Termly.getConsentState() ?? {} } : {}
    })
  },
}

export default termly
