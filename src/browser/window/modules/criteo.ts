import { maySharePersonalData } from '#browser/personalDataSharing.ts'
import type { BrowserModule } from '../../modules.ts'
import { loadPixel } from '../pixelModule.ts'

/** The response of Criteo's identification. `userid` is present with the status `OK`. */
type Identified = { status?: string; userid?: string }
type Site = { agletCriteo?: (answer: Identified) => void }

const idCookie = 'crto_mapped_user_id'
const optOutCookie = 'crto_is_user_optout'
/** The lifetime of the cookies of Criteo's own tag: 3 days, in seconds. */
const cookieMaxAgeS = 259_200

const setCookie = (name: string, value: string, maxAgeS: number) => {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in all browsers
  document.cookie = `${name}=${encodeURIComponent(value)}; max-age=${maxAgeS}; path=/; samesite=lax`
}

/** Stores the response in the cookies of Criteo's own tag, which are sent with later events of the visitor. */
function storeResponse({ status, userid }: Identified): void {
  setCookie(optOutCookie, String(status === 'OptOut'), cookieMaxAgeS)
  const isKnown = status === 'OK' && typeof userid === 'string'
  setCookie(idCookie, isKnown ? userid : '', isKnown ? cookieMaxAgeS : 0)
}

/**
 * Requests Criteo's id of the visitor if CRITEO_BROWSER_ID is 1; without it, the server's events are matched only by
 * e-mail. Sends no events, because Criteo would count those of the page and of the server twice.
 */
const criteo: BrowserModule = {
  start(context) {
    const { CRITEO_CALLER_ID: callerId, CRITEO_BROWSER_ID } = context.variables
    if (CRITEO_BROWSER_ID !== '1' || !callerId) return undefined
    let isRequested = false
    return () => {
      if (isRequested || !maySharePersonalData(context.consent()) || document.cookie.includes(`${idCookie}=`)) return
      isRequested = true
      const site = window as Site
      site.agletCriteo = storeResponse
      loadPixel(context, `https://gum.criteo.com/sync?c=${encodeURIComponent(callerId)}&r=2&a=1&j=agletCriteo`)
    }
  },
}

export default criteo
