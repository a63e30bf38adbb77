import type { Module } from '../../modules.ts'
import { shares } from '../../shares.ts'

/** What Criteo's identification says of a visitor. `userid` is there with the status `OK`. */
type Identified = { status?: string; userid?: string }
type Site = { agletCriteo?: (answer: Identified) => void }

const idCookie = 'crto_mapped_user_id'
const optOutCookie = 'crto_is_user_optout'
/** As long as Criteo's own tag keeps its cookies: 3 days, in seconds. */
const keptForS = 259_200

const setCookie = (name: string, value: string, maxAgeS: number) => {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in all browsers
  document.cookie = `${name}=${encodeURIComponent(value)}; max-age=${maxAgeS}; path=/; samesite=lax`
}

/** Keeps the answer in the cookies of Criteo's own tag, which go with the next events of the visitor. */
function keep({ status, userid }: Identified): void {
  setCookie(optOutCookie, String(status === 'OptOut'), keptForS)
  const isKnown = status === 'OK' && typeof userid === 'string'
  setCookie(idCookie, isKnown ? userid : '', isKnown ? keptForS : 0)
}

/**
 * Asks Criteo for its id of the visitor, where CRITEO_BROWSER_ID is set: without it the events of the server are matched by
 * e-mail alone. It sends no events: Criteo would count those of the page and of the server both.
 */
const criteo: Module = {
  start({ variables, load, consent }) {
    const { CRITEO_CALLER_ID: callerId, CRITEO_BROWSER_ID } = variables
    if (CRITEO_BROWSER_ID !== '1' || !callerId) return undefined
    let isAsked = false
    return () => {
      if (isAsked || !shares(consent()) || document.cookie.includes(`${idCookie}=`)) return
      isAsked = true
      const site = window as Site
      site.agletCriteo = keep
      const url = `https://gum.criteo.com/sync?c=${encodeURIComponent(callerId)}&r=2&a=1&j=agletCriteo`
      load(url).catch(() => undefined) // a blocker has kept it away
    }
  },
}

export default criteo
