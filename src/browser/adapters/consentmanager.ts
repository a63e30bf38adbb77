import type { Adapter } from './adapter.ts'
import { followBanner } from './banner.ts'

/** consentmanager: its purposes have ids, which the page names in `agletAdapters.categories`, such as `{ c52: 'advertising' }`. */
const consentmanager: Adapter = {
  start(host) {
    let isHeard = false
    followBanner(host, 'consentmanager', [], ({ __cmp }, look) => {
      const data = __cmp?.('getCMPData')
      if (!data) return undefined
      if (!isHeard) __cmp('addEventListener', ['consent', look, false], null)
      isHeard = true
      return data.userChoiceExists ? { choices: data.purposeConsents ?? {} } : {}
    })
  },
}

export default consentmanager
