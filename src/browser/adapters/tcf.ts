import type { Adapter } from './adapter.ts'
import { type BannerAnswer, followBanner } from './banner.ts'

type Consents = Record<string, boolean>
type TcData = {
  tcString?: string
  eventStatus?: string
  gdprApplies?: boolean
  addtlConsent?: string
  purpose?: { consents?: Consents; legitimateInterests?: Consents }
}

/** The purposes of each category, as in docs/consent.md. */
const defaults = { advertising: [1, 3, 4, 7], analytics: [1, 8, 9], functional: [1, 5, 6] }

/** `tcloaded` and `useractioncomplete` carry an answer, `cmpuishown` does not. */
function readData(
  { tcString: tcf, addtlConsent, gdprApplies, eventStatus, purpose }: TcData,
  own: object,
): BannerAnswer {
  const { consents = {}, legitimateInterests = {} } = { ...purpose }
  const has = (id: number) => consents[id] === true || (id >= 7 && id <= 10 && legitimateInterests[id] === true)
  const choices = Object.fromEntries(
    Object.entries({ ...defaults, ...own } as typeof defaults).map(([name, ids]) => [
      name,
      gdprApplies === false || ids.every(has),
    ]),
  )
  const texts = { tcf, gdprApplies, addtlConsent }
  return /^(tcl|user)/.test(`${eventStatus}`) ? { choices, texts } : {}
}

/** A banner of IAB Europe's TCF: `__tcfapi`. */
const tcf: Adapter = {
  start(host) {
    let isSubscribed = false
    let answer: BannerAnswer | undefined
    followBanner(host, 'tcf', [], ({ __tcfapi }, check) => {
      // a banner's stub passes its waiting calls to the banner that replaces it
      if (__tcfapi && !isSubscribed) {
        isSubscribed = true
        __tcfapi('addEventListener', 2, (data: TcData, isOk: boolean) => {
          if (!isOk) return
          answer = readData(data, host.options.purposes ?? {})
          check()
        })
      }
      return answer
    })
  },
}

export default tcf
