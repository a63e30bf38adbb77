import type { RequestContext } from './request.ts'

type Sources = Pick<RequestContext, 'data' | 'custom' | 'captured' | 'consent'>

/** Ids of devices and apps are texts of at most 200 characters. */
function idOf(value: unknown): string | undefined {
  const id = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value
  if (typeof id !== 'string' || id.length > 200) return undefined
  const text = id.trim()
  // an advertising id of zeros alone: the person does not allow tracking
  return text && !/^[0-]+$/.test(text) ? text : undefined
}

/** The names that vendors have for the advertising id of Android: one event serves several of them. */
const androidIds = ['gaid', 'gps_adid', 'aaid', 'aifa', 'advertising_id']

/** The names of ids of devices and apps that providers read: nothing else is made of them. */
export const appIdNames: readonly string[] = [
  ...androidIds,
  ...['idfa', 'idfv', 'android_id', 'oaid', 'fire_adid', 'amazon_aid', 'adid', 'asid', 'andi'],
  ...['appsflyer_id', 'afUserId', 'web_uuid', 'kochava_device_id', 'sdid', 'singular_device_id'],
  ...['browser_fingerprint_id', '_branch_match_id'],
]

/**
 * The ids of a device by the vendor's names: from the event's `data`, else the person's custom keys, else what was
 * captured. The advertising id of Android may have the name of any vendor. Empty where the person does not share what
 * identifies them.
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
