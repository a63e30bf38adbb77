import type { ProviderFacts } from './channels.ts'

/** A name in lower case without separators. */
export const simplified = (name: string) => name.toLowerCase().replace(/[\s_.-]/g, '')

/** Vendor names that no provider's table has, and the events that are sent for them here. */
const otherNames: Readonly<Record<string, string>> = {
  completepayment: 'Purchase',
  placeanorder: 'Purchase',
  submitform: 'Lead',
  clickbutton: 'ClickButton',
  pagevisit: 'PageView',
  signup: 'CompleteRegistration',
}

/** The event that a provider sends under this vendor name. */
export function eventOfVendor(name: string, { events = {} }: ProviderFacts): string {
  const wanted = simplified(name)
  const entries = Object.entries(events)
  const found =
    entries.find(([, vendorName]) => simplified(vendorName) === wanted) ??
    entries.find(([own]) => simplified(own) === wanted)
  return found?.[0] ?? (Object.hasOwn(otherNames, wanted) ? otherNames[wanted]! : name)
}
