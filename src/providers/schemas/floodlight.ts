import type { EventData } from '#contract/event.ts'
import { type ConsentSignals, consentWord } from '#provider/form/consentSignals.ts'
import { unlessEmpty } from '#provider/form/optionalValues.ts'
import type { CapturedValues, RequestContext } from '#provider/form/request.ts'
import { clickIdIn } from '#provider/vendors/googleCookies.ts'

/** One user id alone: Google refuses a conversion with two. */
export function userIdOf({ gclid, _gcl_aw, dclid, _gcl_dc }: CapturedValues) {
  const google = gclid?.value ?? clickIdIn(_gcl_aw?.value)
  return google ? { gclid: google } : { dclid: dclid?.value ?? clickIdIn(_gcl_dc?.value) }
}

/** The digests of the person, for enhanced conversions; undefined where there are none. */
export function identifiersOf({ user }: Pick<RequestContext, 'user'>) {
  const { hashedEmail, hashedPhoneNumber, hashedFirstName, hashedLastName } = user
  const addressInfo = unlessEmpty({ hashedFirstName, hashedLastName })
  const identifiers = [
    unlessEmpty({ hashedEmail }),
    unlessEmpty({ hashedPhoneNumber }),
    addressInfo && { addressInfo },
  ].filter((identifier) => identifier !== undefined)
  return identifiers.length > 0 ? identifiers : undefined
}

/** The custom Floodlight variables: texts and numbers of the event's data under `u1` to `u100`. */
export function customVariables(data: EventData) {
  const rows = Object.entries(data)
    .filter(([name]) => /^u([1-9]\d?|100)$/i.test(name))
    .filter(([, value]) => typeof value === 'number' || (typeof value === 'string' && value !== ''))
    .map(([name, value]) => ({
      type: name.toUpperCase(),
      value: String(value),
      kind: 'dfareporting#customFloodlightVariable',
    }))
  return rows.length > 0 ? rows : undefined
}

/** `adUserDataConsent`; undefined where no consent map says anything of advertising. */
export const adUserData = ({ advertising }: Pick<ConsentSignals, 'advertising'>) =>
  consentWord(advertising, { granted: 'GRANTED', denied: 'DENIED' })

type Answer = { status?: { errors?: { code?: string; message?: string }[] }[] }

/**
 * The conversions of a 200 that were not taken: `status` has a row for each. Only an internal error may be tried again.
 */
export const failedRows = ({ status = [] }: Answer) =>
  status.flatMap(({ errors: [error] = [] }, row) =>
    error
      ? [
          {
            row,
            verdict: error.code === 'INTERNAL' ? ('retry' as const) : ('refused' as const),
            message: error.message,
          },
        ]
      : [],
  )
