import type { RequestContext } from '#provider/form/request.ts'
import { pageQuery } from '#provider/form/url.ts'
import { shape } from '#provider/form/valueChecks.ts'

/** The `check` of a variable that names a query parameter: the name must need no encoding. */
export const clickParamCheck = shape(
  /^[\w.~-]{1,100}$/,
  'Write only the name of the parameter: letters, digits, _ - . ~',
)

/** The click id in the parameter that the customer named: the captured one, otherwise the one in the event's page URL. */
export const clickInParam = ({ captured, event }: Pick<RequestContext, 'captured' | 'event'>, param: string) =>
  captured[param]?.value ?? new Map(Object.entries(pageQuery(event))).get(param)
