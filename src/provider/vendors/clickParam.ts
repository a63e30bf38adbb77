import type { RequestContext } from '#provider/form/request.ts'
import { pageQuery } from '#provider/form/url.ts'
import { shape } from '#provider/form/valueChecks.ts'

/** The `check` of a variable that names a query parameter: a name that needs no encoding. */
export const clickParamCheck = shape(
  /^[\w.~-]{1,100}$/,
  'Write only the name of the parameter: letters, digits, _ - . ~',
)

/** The click id in the parameter that the customer named: the captured one, else that of the event's own page. */
export const clickInParam = ({ captured, event }: Pick<RequestContext, 'captured' | 'event'>, param: string) =>
  captured[param]?.value ?? new Map(Object.entries(pageQuery(event))).get(param)
