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

/**
 * The ids of a device by the vendor's names: from the event's `data`, else the person's custom keys, else what was
 * captured. Empty where the person does not share what identifies them.
 */
export function appIds<const Name extends string>(
  { data, custom, captured, consent }: Sources,
  names: readonly Name[],
): { [N in Name]?: string } {
  const ids: { [N in Name]?: string } = {}
  if (consent.sharePii === 'denied') return ids
  for (const name of names) {
    const id = idOf(data[name]) ?? idOf(custom[name]) ?? idOf(captured[name]?.value)
    if (id) ids[name] = id
  }
  return ids
}
