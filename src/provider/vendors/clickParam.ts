import type { RequestContext } from '#provider/form/request.ts'
import { pageQuery } from '#provider/form/url.ts'

/** The `check` of a variable that names a query parameter: a name that needs no encoding. */
export const clickParamCheck = (name: string): string | undefined =>
  /^[\w.~-]{1,100}$/.test(name) ? undefined : 'Write only the name of the parameter: letters, digits, _ - . ~'

/**
 * The click id in the parameter that the customer named: the captured one, else that of the event's own page. Undefined
 * where it is in neither, and from the page also where the person denied that identifying values are shared.
 */
export function clickInParam(
  { captured, event, consent }: Pick<RequestContext, 'captured' | 'event' | 'consent'>,
  param: string,
): string | undefined {
  if (captured[param]) return captured[param].value
  return consent.sharePii === 'denied' ? undefined : new Map(Object.entries(pageQuery(event))).get(param)
}
