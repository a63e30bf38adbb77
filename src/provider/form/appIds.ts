import type { RequestContext } from './request.ts'

type Sources = Pick<RequestContext, 'data' | 'custom' | 'captured' | 'consent'>

/** Ids of devices and apps are texts of at most 200 characters. */
function idOf(value: unknown): string | undefined {
  const id = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value
  if (typeof id !== 'string' || id.length > 200) return undefined
  const text = id.trim()
  // An advertising id of zeros means that the person does not allow tracking.
  return text && !/^[0-]+$/.test(text) ? text : undefined
}

/** Vendors' names for Android's advertising id. One event can serve several vendors. */
const androidIds = ['gaid', 'gps_adid', 'aaid', 'aifa', 'advertising_id']

/** The names of the device and app ids that providers read. They are used only as ids. */
export const appIdNames: readonly string[] = [
  ...androidIds,
  ...['idfa', 'idfv', 'android_id', 'oaid', 'fire_adid', 'amazon_aid', 'adid', 'asid', 'andi'],
  ...['appsflyer_id', 'afUserId', 'web_uuid', 'kochava_device_id', 'sdid', 'singular_device_id'],
  ...['browser_fingerprint_id', '_branch_match_id'],
]

/**
 * The ids of a device by the vendor's names: from the event's `data`, else the person's custom keys, else what was
 * captured. Android's advertising id may have any vendor's name. Empty if the person does not share identifying values.
 */
export function appIds<const Name extends string>(
  { data, custom, captured, consent }: Sources,
  names: readonly Name[],
): { [N in Name]?: string } {
  const ids: { [N in Name]?: string } = {}
  if (consent.sharePii === 'denied') return ids
  const known = (name: string) => idOf(data[name]) ?? idOf(custom[name]) ?? idOf(captured[name]?.value)
  for (const name of names) {
    const id = known(name) ?? (androidIds.includes(name) ? androidIds.map(known).find(Boolean) : undefined)
    if (id) ids[name] = id
  }
  return ids
}
